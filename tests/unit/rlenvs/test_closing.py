import threading

from rlenvs.closing import Closing


def test_it_is_closed_once_and_what_closing_raises_is_dropped():
    calls = []

    def close():
        calls.append(threading.current_thread())
        raise OSError("lost already")

    closing = Closing(close)
    with closing.inside():
        pass
    assert calls == []
    closing.close()
    closing.close()
    assert calls == [threading.current_thread()]


def test_a_hanging_call_is_closed_upon_from_another_thread_and_once_more_when_it_comes_back():
    closed, entered, let_go = threading.Semaphore(0), threading.Event(), threading.Event()
    closing = Closing(closed.release)

    def hang():
        with closing.inside():
            entered.set()
            let_go.wait(30)

    worker = threading.Thread(target=hang)
    worker.start()
    entered.wait(30)
    closing.close()
    closing.close()
    assert closed.acquire(timeout=30)
    assert not closed.acquire(timeout=0.05), "once while it hangs"
    let_go.set()
    worker.join(30)
    assert closed.acquire(timeout=30), "what the late call opened"
    assert not closed.acquire(timeout=0.05)


def test_closing_returns_at_once_though_the_hanging_call_holds_what_closing_needs():
    held, entered, let_go = threading.Lock(), threading.Event(), threading.Event()
    closing = Closing(lambda: held.acquire() and held.release())

    def hang():
        with closing.inside(), held:
            entered.set()
            let_go.wait(30)

    worker = threading.Thread(target=hang)
    worker.start()
    entered.wait(30)
    closing.close()
    assert worker.is_alive()
    let_go.set()
    worker.join(30)
    assert not worker.is_alive()
