"""Request bodies: read with a limit, as UTF-8 JSON, into a checked model."""

import json
from collections.abc import Collection, Iterable
from typing import Annotated, Any, Literal, TypeVar

from fastapi import Request
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from dure.agents.approvals import Action
from dure.errors import DureError, InvalidInput, InvalidJson, Text, TooLarge, UnsupportedMedia, phrase, wrong
from dure.settings import Address

Model = TypeVar("Model", bound=BaseModel)
_WANTED = "application/json"


class Body(BaseModel):
    """Base: a number is not taken for text, and unknown fields are refused, since they are mistyped known ones."""

    model_config = ConfigDict(strict=True, extra="forbid")


Id = Annotated[str, Field(min_length=1, max_length=200)]


class Resume(Body):
    """AG-UI's answer to an interrupt (`ResumeEntry` of https://ag-ui.com/spec/1.0/schema.json)."""

    interrupt_id: Annotated[Id, Field(alias="interruptId")]
    status: Literal["resolved", "cancelled"]
    payload: Any = None
    metadata: dict[str, Any] | None = None


class ChatBody(Body):
    """`POST /v1/chat`. What the values mean is checked where the run is started. Either a `message`, or `resume`,
    which decides what the session's run waits for."""

    resume: Annotated[list[Resume], Field(max_length=100)] | None = None
    message: Annotated[str | None, Field(validate_default=True)] = None
    session_id: str | None = None
    team: str | None = None
    level: Annotated[str | None, Field(validation_alias=AliasChoices("level", "difficulty"))] = None
    output_format: str | None = None
    model: str | None = None
    experiment: str | None = None
    instead_of: Annotated[int | None, Field(ge=1, le=2**31 - 1)] = None
    images: list[str] = []
    """Pictures as data URLs or Base64, or by the names that runs give them (`RUN/ID`)."""
    stream: bool = False

    @field_validator("message")
    @classmethod
    def _needed(cls, message: str | None, info: ValidationInfo) -> str | None:
        if message is None and not info.data.get("resume"):
            raise PydanticCustomError("missing", "Field required")
        if message and message.strip() and info.data.get("resume"):
            raise PydanticCustomError("not_with_resume", "Not accepted together with resume")
        return message


class Payload(Body):
    """What a resolved interrupt carries, unless it is just true, false or an answer's text."""

    action: Action | None = None
    args: dict[str, Any] | None = None
    message: str | None = None

    def decision(self, approval_id: str) -> dict[str, Any]:
        """What it decides about an approval: with arguments and no action an edit, without both a yes."""
        action = self.action or ("edit" if self.args is not None else "approve")
        return {"approval_id": approval_id, "action": action, "args": self.args, "message": self.message}


class Decision(Payload):
    """A person's answer to one approval."""

    approval_id: Id
    action: Action


class ApprovalsBody(Body):
    """`POST /v1/runs/{id}/approvals`."""

    decisions: Annotated[list[Decision], Field(min_length=1, max_length=100)]
    stream: bool = False


class RatingBody(Body):
    """`POST /v1/runs/{id}/rating`. How much is too much is checked where it is stored."""

    rating: Annotated[int, Field(ge=1, le=5)]
    comment: str | None = None


class AgainBody(Body):
    """`POST /v1/runs/{id}/again`."""

    step: Annotated[int, Field(ge=1, le=2**31 - 1)]
    model: str | None = None
    stream: bool = False


class ModelBody(Body):
    """`POST /v1/model/try`. The key as it is: none of a variable's."""

    base_url: Address
    name: str | None = None
    key: Annotated[str, Field(pattern=r"^[!-#%-~][!-~]*$")] | None = None


class SessionBody(Body):
    """`PATCH /v1/sessions/{id}`: what is to be changed. What a title may be is checked where it is stored."""

    title: Annotated[str, Field(min_length=1, max_length=200)] = "-"
    folder: Annotated[str, Field(max_length=200)] = ""
    pinned: bool = False


class Failure(BaseModel):
    """An error: its stable code, its sentence, and what that was filled with."""

    code: str
    message: str
    details: dict[str, Any]


class ErrorReply(BaseModel):
    """The reply to every request that failed."""

    error: Failure


async def read_json(request: Request, model: type[Model], limit: int) -> Model:
    """The request's body as a `model`.

    limit: bytes. Raises UnsupportedMedia, TooLarge, InvalidJson or InvalidInput.

    A Content-Type other than JSON is refused, not overlooked: a foreign web page can send text to a server on
    this machine without asking, JSON it cannot.
    """
    fields = _parse(await read_whole(request, limit))
    if isinstance(fields, dict) and isinstance(fields.get("message"), str):
        request.state.text = fields["message"]
    return checked(model, fields)


def checked(model: type[Model], value: Any, *place: str) -> Model:
    """The value as a `model`. place: where it stands in what was sent. Raises InvalidInput."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        raise invalid([each | {"loc": (*place, *each["loc"])} for each in found], model.model_fields) from None


async def read_whole(request: Request, limit: int) -> bytes:
    """A body of JSON that somebody else reads, given up as soon as it is known to exceed `limit` bytes. Raises
    UnsupportedMedia, TooLarge."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _WANTED and not (kind.startswith("application/") and kind.endswith("+json")):
        raise UnsupportedMedia(found=kind or "-", wanted=_WANTED)
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit:
        raise TooLarge(name="body", size=int(declared), limit=limit)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise TooLarge(name="body", limit=limit)
    return bytes(body)


def _parse(body: bytes) -> Any:
    # Not orjson: it rounds whole numbers beyond 64 bits, such as an account in edited arguments, and refuses lone
    # surrogates, which deserve their own code, given where text is checked.
    try:
        return json.loads(body.decode())
    except UnicodeDecodeError as error:
        raise InvalidJson(reason=phrase("api_bodies.utf8", at=error.start)) from None
    except (ValueError, RecursionError) as error:
        raise InvalidJson(reason=str(error)) from None


def invalid(errors: Any, known: Iterable[str] = ()) -> DureError:
    """Pydantic's findings as one InvalidInput: the first as the sentence, all of them in `details.fields`."""
    fields = [{"field": ".".join(str(p) for p in e["loc"]) or "body", "reason": e["msg"]} for e in errors]
    field, said = fields[0]["field"], wrong(errors[0], known)
    return InvalidInput(reason=Text(f"{field}: {said}", f"{field}: {said.ko}"), fields=fields[:20])


def only(known: Collection[str], given: Iterable[str], *place: str) -> None:
    """Raises InvalidInput for names that are not known, as for fields of a body. place: where they were given."""
    told = {"type": "extra_forbidden", "msg": "Extra inputs are not permitted"}
    if found := [told | {"loc": (*place, name)} for name in given if name not in known]:
        raise invalid(found, known)


def described(model: type[BaseModel]) -> dict[str, Any]:
    """The OpenAPI entry of a body that `read_json` reads."""
    return content(_WANTED, _schema(model))


def failing(model: type[BaseModel]) -> dict[int | str, dict[str, Any]]:
    """The OpenAPI entries of replies that tell of a failure, JSON whatever the others are."""
    told = {"description": "What went wrong", "content": {_WANTED: {"schema": _schema(model)}}}
    return {"4XX": told, "5XX": told}


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
    for name, part in schema.pop("$defs", {}).items():
        schema = _inline(schema, f"#/components/schemas/{name}", part)
    return schema


def content(kind: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The OpenAPI entry of a body of that media type."""
    return {"requestBody": {"required": True, "content": {kind: {"schema": schema}}}}


def _inline(value: Any, ref: str, part: dict[str, Any]) -> Any:
    if isinstance(value, dict):
        return part if value.get("$ref") == ref else {k: _inline(v, ref, part) for k, v in value.items()}
    return [_inline(v, ref, part) for v in value] if isinstance(value, list) else value
