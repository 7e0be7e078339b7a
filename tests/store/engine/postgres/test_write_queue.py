"""The queue of writes to PostgreSQL: one that waits too long gives up."""

import pytest

from masthead.model.errors import Busy
from masthead.store.engine.postgres.write_queue import OF_ONE_ACCOUNT, WriteQueue


async def test_a_write_whose_turn_does_not_come_in_time_gives_up_and_takes_no_turn() -> None:
    queue = WriteQueue(wait=0.01)
    turns = [queue.turn(1) for _ in range(OF_ONE_ACCOUNT)]
    for turn in turns:
        await turn.__aenter__()
    for _ in range(2):
        with pytest.raises(Busy):
            async with queue.turn(1):
                pytest.fail("more writes than turns")
    async with queue.turn(2):
        pass
    for turn in turns:
        await turn.__aexit__(None, None, None)
    async with queue.turn(1) as (turn_of_one, _until):
        assert turn_of_one.account_id == 1
