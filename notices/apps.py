from django.apps import AppConfig


class NoticesConfig(AppConfig):
    name = "notices"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from notices import clearing, digests, erasing, hearing  # noqa: PLC0415 (models load first)

        hearing.register()
        erasing.register()
        digests.register()
        clearing.register()
