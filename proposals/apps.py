from django.apps import AppConfig


class ProposalsConfig(AppConfig):
    name = "proposals"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from proposals import erasing, importing, undecided  # noqa: PLC0415 (models load first)

        erasing.register()
        importing.register()
        undecided.register()
