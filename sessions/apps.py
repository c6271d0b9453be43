from django.apps import AppConfig


class SessionsConfig(AppConfig):
    name = "sessions"
    label = "agent_sessions"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from memory.agents import register_gate  # noqa: PLC0415 (models load first)
        from sessions import erasing, existence  # noqa: PLC0415
        from sessions.erasure import job  # noqa: PLC0415
        from sessions.turns import writing  # noqa: PLC0415

        existence.register()
        erasing.register()
        job.register()
        register_gate(writing.require_writable_mount)
