"""No request takes more than its deadline, whatever it asks for: one after another from the corpus."""

import pytest

import contract
import corpus
import measure
from daemon import Daemon

MAX_MEMORY = 768 << 20


@pytest.fixture(scope="module")
def target():
    """A daemon with the sets that the corpus asks."""
    daemon = Daemon("--io-threads", "1", "--workers", str(measure.WORKERS),
                    "--max-memory", str(MAX_MEMORY), "--request-timeout", "60s")
    for name, body in corpus.sets():
        daemon.store(name, body)
    yield daemon
    daemon.stop()


@pytest.mark.plain
@pytest.mark.parametrize("name", corpus.CASES)
def test_work_ends_with_the_deadline(target, name):
    case = corpus.CASES[name]()
    cost = measure.Cost(target, case)
    print(name, len(case.body or ""), cost)
    slack = measure.ANSWER_S + cost.slack_s
    # One loop takes the body in and the answer out; each worker may have been at work until the end.
    threads = measure.WORKERS + 1
    assert cost.status < 500 or cost.status in (503, 504, 507), cost
    assert cost.took_s <= measure.DEADLINE_S + slack, cost
    assert cost.cpu_s <= threads * (measure.DEADLINE_S + measure.WORK_S), cost
    assert cost.after_s <= measure.WORKERS * measure.WORK_S, cost
    assert cost.peak_bytes <= MAX_MEMORY + measure.MEMORY_BYTES, cost
    assert target.get("/livez").status_code == 200
    small = {"a": {"type": "sphere", "radius": 1}, "b": {"type": "sphere", "radius": 1,
                                                         "position": [3, 0, 0]}}
    assert target.ask("/v1/distance", small)["distance"] == 1


def test_there_is_a_case_for_every_kind_of_shape():
    """Those for every operation are in test_dearest.py."""
    kinds = {shape["type"] for shapes in corpus.KINDS.values() for shape in shapes}
    assert kinds == set(contract.at("#/components/schemas/Shape")["discriminator"]["mapping"])
