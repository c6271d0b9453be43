from django.apps import AppConfig


class MemoryConfig(AppConfig):
    name = "memory"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from memory import existence  # noqa: PLC0415 (models load first)
        from memory.erasure import (  # noqa: PLC0415
            chores,
            deletion,
            expiry,
            readback,
            retirement,
            zero_retention,
        )
        from memory.importing import jobs as imports  # noqa: PLC0415
        from memory.verification import jobs  # noqa: PLC0415

        existence.register()
        for kinds in (
            jobs,
            readback,
            deletion,
            zero_retention,
            expiry,
            retirement,
            chores,
            imports,
        ):
            kinds.register()
