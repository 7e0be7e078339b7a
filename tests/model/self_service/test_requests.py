"""What subscribers do on their page, in words."""

from masthead.model.self_service.requests import RequestStatus, describe_request
from masthead.model.self_service.settings import Action


def test_a_copy_that_did_not_arrive_waits_for_a_person_unless_it_is_done() -> None:
    said = {each: describe_request(Action.CLAIM, each, 7) for each in RequestStatus}
    assert said.pop(RequestStatus.DONE) == ("Issue 7 did not arrive; a replacement is on its way")
    assert set(said.values()) == {"Issue 7 did not arrive; a person decides about the replacement"}


def test_every_action_has_words_of_its_own() -> None:
    assert len({each.words for each in Action} - {""}) == len(Action)
    assert len({describe_request(each, RequestStatus.DONE, 1) for each in Action} - {""}) == len(
        Action
    )
