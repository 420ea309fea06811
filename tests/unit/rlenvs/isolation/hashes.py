"""What a worker serves: the hash of a text."""


def prepare(_setup):
    pass


def answer(request):
    return hash(request)
