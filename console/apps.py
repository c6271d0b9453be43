from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    name = "console"

    def ready(self) -> None:
        from console import mail_paths  # noqa: PLC0415 (apps load first)

        mail_paths.register()
