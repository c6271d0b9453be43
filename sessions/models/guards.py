"""What PostgreSQL itself refuses to do to a Session's log."""

import pgtrigger


class NotRewritten(pgtrigger.Trigger):
    """Refuses any UPDATE. Raises `restrict_violation`, an IntegrityError in Python."""

    name = "not_rewritten"
    when = pgtrigger.Before
    operation = pgtrigger.Update

    def get_func(self, model: object) -> str:
        return """
            RAISE restrict_violation
                USING MESSAGE = format('%s is not rewritten', TG_TABLE_NAME);
        """
