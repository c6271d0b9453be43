"""What happened in the team's memory: who changed what, in which words."""

from functools import partial
from typing import Final

from console.demo.changes import Add, Delete, Edit, Move
from console.demo.desk import Change, Role

_add = partial(Add, folder="team-memory")

BEGINNINGS: Final = (
    Change(
        Role.AUTHOR,
        "Begin the team memory: what it is for, and our words",
        [_add("/README.md"), _add("/glossary.md")],
    ),
    Change(
        Role.AUTHOR,
        "Write down how we work on code",
        [
            _add("/conventions/code-review.md"),
            _add("/conventions/branches-and-commits.md"),
            _add("/conventions/times-and-money.md"),
        ],
    ),
    Change(
        Role.AUTHOR,
        "Record the decisions that still hold",
        [
            _add("/decisions/0001-one-database.md"),
            _add("/decisions/0002-writes-can-be-repeated.md"),
            _add("/decisions/0003-no-flags-without-an-end.md"),
        ],
    ),
    Change(
        Role.AUTHOR,
        "Add the runbooks, and a first list of them",
        [
            _add("/runbooks/deploy-and-roll-back.md"),
            _add("/runbooks/disk-full.md"),
            _add("/runbooks/queue-backlog.md"),
            _add("/runbooks/rotate-a-key.md"),
            _add("/runbooks/which-runbook.md"),
        ],
    ),
    Change(
        Role.AUTHOR,
        "Add severities and the handover note",
        [_add("/on-call/severities.md"), _add("/on-call/handover.md")],
    ),
    Change(
        Role.AUTHOR,
        "Say how we write to customers, and what we may promise",
        [_add("/support/tone.md"), _add("/support/refunds.md")],
    ),
    Change(
        Role.ASSISTANT,
        "Collect what customers ask about at the moment",
        [_add("/support/known-issues.md")],
    ),
    Change(
        Role.AUTHOR,
        "Keep a faulty server running while somebody looks for the reason",
        [
            Edit(
                "/runbooks/deploy-and-roll-back.md",
                "3. Drain the server that shows the fault and keep it for the search.\n",
                "3. Drain the server that shows the fault, and leave it running. What it has in"
                " memory tells\n   more than its logs do.\n",
            )
        ],
    ),
)

PHONE_NUMBERS_PATH: Final = "/on-call/phone-numbers.md"
PHONE_NUMBERS: Final = Change(
    Role.AUTHOR,
    "Keep the private numbers of everybody on call",
    [_add(PHONE_NUMBERS_PATH)],
)
"""Personal data that an admin erases: what an erased document looks like is seen by it."""

REVIEW_FROM_NOW_ON: Final = Change(
    Role.AUTHOR,
    "Say that changes are reviewed from now on",
    [
        Edit(
            "/README.md",
            "- While we fill the memory, authors write to it directly.\n",
            "- Propose a change instead of making it. A reviewer decides on exactly the text"
            " that they see,\n  and nothing else becomes canonical.\n",
        )
    ],
    "The store is under review since today, so the first page should not promise anything else.",
)
REVIEW_FROM_NOW_ON_NOTE: Final = "Yes. Good that it says what a reviewer decides on."

SPLIT_PARCELS: Final = Change(
    Role.ASSISTANT,
    "Answer the question about orders in two parcels",
    [
        Edit(
            "/support/known-issues.md",
            "## Parcel status stands still\n",
            "## “Half of my order is missing”\n\n"
            "Orders above 15 kilograms travel in two parcels, and the mail that says so is easily"
            " overlooked.\nLook at the order: it names both parcels and where they are. Offer to"
            " write again when the\nsecond one is on its way.\n\n"
            "## Parcel status stands still\n",
        )
    ],
    "Nine customers asked this week, and the answer was the same nine times.",
)
SPLIT_PARCELS_NOTE: Final = "The weight is right, and the offer to write again is kind. Thank you."

DELIVERY_DATES: Final = Change(
    Role.ASSISTANT,
    "Let agents promise a delivery date",
    [
        Edit(
            "/support/tone.md",
            "- Say what happens next, and when. “Soon” is not a time.\n",
            "- Say what happens next, and when. “Soon” is not a time. For a parcel, name the day"
            " on which it\n  will arrive.\n",
        )
    ],
    "Customers ask for a day. With the carrier's data an agent can name one in most cases.",
)
DELIVERY_DATES_NOTE: Final = (
    "We cannot promise what the carrier only estimates: one day late, and we have broken our word."
    " Propose it again as “the carrier expects it on …”, and I am glad to approve it."
)

ORDER_NUMBER: Final = Change(
    Role.AUTHOR,
    "Ask for the order's number before anything else",
    [
        Edit(
            "/support/tone.md",
            "- Begin with the answer, then the reason.\n",
            "- Begin with the answer, then the reason. If you cannot answer without the order's"
            " number, ask\n  for it, and for nothing else in that mail.\n",
        )
    ],
    "Three questions in one mail get one answer, and it is rarely to the one that matters.",
)
ORDER_NUMBER_NOTE: Final = "Fine with me, and it does not touch the new limit for refunds."

REFUND_LIMIT: Final = Change(
    Role.AUTHOR,
    "Let agents decide on damaged goods up to 50 euros",
    [
        Edit(
            "/support/refunds.md",
            "| damaged, with a photo | refund, or send again | a person |\n",
            "| damaged, with a photo, up to 50 euros | refund, or send again | anybody, agents"
            " too |\n| damaged, with a photo, above that | refund, or send again | a person |\n",
        )
    ],
    "Customers wait a night for an answer that has always been yes.",
)
REFUND_LIMIT_NOTE: Final = "Agreed. Let us look at the photos of the first month together."

EARLIER_PAGE: Final = Change(
    Role.AUTHOR,
    "Page the second person when 5,000 events wait",
    [
        Edit(
            "/runbooks/queue-backlog.md",
            "4. Page the second person when more than 10,000 events wait.\n",
            "4. Page the second person when more than 5,000 events wait: from there on, mails are"
            " later than\n   ten minutes.\n",
        )
    ],
    "At 10,000 events customers have already written to us.",
)

PERSONAL_DATA: Final = Change(
    Role.AUTHOR,
    "Say what a ticket may hold about a person",
    [
        Add("/support/personal-data.md", "proposed"),
        Edit(
            "/support/tone.md",
            "An agent says that it is one,",
            "What a ticket may hold about a person is on [a page of its own]"
            "(/support/personal-data.md).\n\nAn agent says that it is one,",
        ),
    ],
    "Until now everybody drew the line somewhere else.\n\n"
    "Please look at the last point with care: it is a promise to customers.",
)

RUNBOOKS_PAGE: Final = Change(
    Role.AUTHOR,
    "Give the runbooks a front page, sorted by how fast you have to be",
    [
        Add("/runbooks/README.md", "proposed"),
        Move("/runbooks/disk-full.md", "/runbooks/database-disk-full.md"),
        Delete("/runbooks/which-runbook.md"),
        Edit(
            "/README.md",
            "| `/runbooks` | what to do when something is on fire, step by step |\n",
            "| `/runbooks` | what to do when something is on fire; begin with its"
            " [front page](/runbooks/README.md) |\n",
        ),
    ],
    "The old list was in no order and missed the keys. The runbook for the disk gets the name that"
    " people search for; its text stays as it is.",
)

CERTIFICATE: Final = Change(
    Role.ASSISTANT,
    "Add a runbook for expired certificates",
    [Add("/runbooks/certificate-expires.md", "proposed")],
    "Written down from the steps that helped last time. I have not run step 3 myself.",
)

WAITING: Final = (PERSONAL_DATA, RUNBOOKS_PAGE, CERTIFICATE)
