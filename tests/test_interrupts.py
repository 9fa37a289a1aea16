import signal
import threading

import pytest

from bayes_distnet.interrupts import held_back, kept_from_children


@pytest.fixture(autouse=True)
def ctrl_c_enabled():
    """Enable Ctrl-C as in a terminal: a background job of a shell, such as these tests, inherits that it is ignored."""
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, handler)


def test_a_signal_is_delivered_where_the_block_asks_for_it():
    done = []
    with pytest.raises(KeyboardInterrupt), held_back() as interrupt:  # noqa: PT012
        interrupt()
        signal.raise_signal(signal.SIGINT)
        done.append("held back")
        interrupt()
        done.append("never")
    assert done == ["held back"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_signal_that_is_left_is_delivered_at_the_end():
    with pytest.raises(KeyboardInterrupt), held_back():
        signal.raise_signal(signal.SIGINT)


def test_a_second_signal_is_delivered_at_once():
    with pytest.raises(KeyboardInterrupt), held_back():  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        pytest.fail("the second signal was held back")


def test_other_threads_hold_nothing_back():
    def work():
        with held_back() as interrupt:
            interrupt()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_signal_during_the_start_of_children_is_delivered_afterwards():
    done = []
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        with kept_from_children():
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)
            done.append("deaf")
        done.append("never")
    assert done == ["deaf"]
