"""Signing in and out, the password, the theme, and the Workspace one works in."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST

from console.door import for_person
from console.failures import render_failure
from console.people import WORKSPACE_KEY, ConsoleRequest
from console.responses import redirect, render_page
from console.theme import THEMES, remember_theme
from tenancy.actions.passwords import change_password
from wire.clients import client_network
from wire.errors import BudgetExceeded, NotFound
from wire.ratelimits import spend_sign_in


class SignInForm(AuthenticationForm):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options, label_suffix="")
        self.fields["username"].label = "User name"

    def clean(self) -> dict[str, Any]:
        """Count the attempt before the password is looked at. Raises BudgetExceeded."""
        assert self.request
        spend_sign_in(self.cleaned_data.get("username") or "", client_network(self.request))
        return super().clean()


class SignIn(LoginView):
    """Django's own view: it rotates the session and checks where `next` leads."""

    template_name = "console/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: Any, **options: Any) -> HttpResponse:
        """Sign in, unless this user name was tried too often."""
        try:
            return super().post(request, *args, **options)
        except BudgetExceeded as error:
            return render_failure(request, error)

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        context = self.get_context_data(form=form)
        return render_page(self.request, self.template_name, context, status=422)

    def render_to_response(self, context: dict[str, Any], **_: Any) -> HttpResponse:
        return render_page(self.request, self.template_name, context)


@require_http_methods(["GET", "POST"])
@for_person
def password(request: ConsoleRequest) -> HttpResponseBase:
    """Change one's own password; other sign-ins of this person end."""
    form = PasswordChangeForm(request.user, request.POST or None)
    if form.is_valid():
        change_password(caller=request.caller, password=form.cleaned_data["new_password1"])
        request.user.refresh_from_db(fields=["password"])
        update_session_auth_hash(request, request.user)
        messages.success(request, "Your password is changed.")
        return redirect(request, reverse("console:queue"))
    status = 422 if form.is_bound else 200
    return render_page(request, "console/password.html", {"form": form}, status=status)


@require_POST
@for_person
def workspace(request: ConsoleRequest) -> HttpResponseBase:
    """Go on working in another of one's Workspaces."""
    wanted = request.POST.get("workspace")
    if wanted not in {member.workspace_id for member in request.memberships}:
        raise NotFound("You are not an active member of that Workspace.")
    request.session[WORKSPACE_KEY] = wanted
    return redirect(request, safe_next(request))


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Choose light, dark or the system's; open to visitors too."""
    chosen = request.POST.get("theme", "")
    response = redirect(request, safe_next(request))
    if chosen in THEMES:
        remember_theme(response, chosen)
    return response


def safe_next(request: HttpRequest) -> str:
    """Where a form asks to go on: an address of this very site, else the queue."""
    wanted = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        return wanted
    return reverse("console:queue")
