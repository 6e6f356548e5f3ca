import socket
from ipaddress import ip_address

import pytest

from dure.egress import AddressRefused, Guard, HostUnavailable, is_public, lookup

PUBLIC = "93.184.215.14"


def guard(*addresses):
    async def answers(host, port):
        return addresses or [PUBLIC]

    return Guard(answers)


# Every name would lead to a public address here: what is refused is refused for what is written.
REFUSED = {
    # this machine and private networks, written plainly
    "http://127.0.0.1/": "private",
    "http://127.8.9.10/": "private",
    "http://0.0.0.0/": "private",
    "http://0.1.2.3/": "private",
    "http://10.1.2.3/": "private",
    "http://172.16.0.1/": "private",
    "http://172.31.255.254/": "private",
    "http://192.168.0.1/": "private",
    "http://100.64.0.1/": "private",
    "http://100.100.100.200/latest/meta-data/": "private",
    "http://169.254.169.254/latest/meta-data/": "private",
    "http://169.254.170.2/v2/credentials": "private",
    "http://168.63.129.16/": "private",
    "http://192.0.0.192/opc/v2/": "private",
    "http://192.0.2.1/": "private",
    "http://198.51.100.1/": "private",
    "http://203.0.113.1/": "private",
    "http://198.18.0.1/": "private",
    "http://192.88.99.1/": "private",
    "http://224.0.0.1/": "private",
    "http://239.255.255.250/": "private",
    "http://240.0.0.1/": "private",
    "http://255.255.255.255/": "private",
    # IPv6
    "http://[::1]/": "private",
    "http://[::]/": "private",
    "http://[0:0:0:0:0:0:0:1]/": "private",
    "http://[::ffff:127.0.0.1]/": "private",
    "http://[::ffff:7f00:1]/": "private",
    "http://[::ffff:8.8.8.8]/": "private",
    "http://[::127.0.0.1]/": "private",
    "http://[::ffff:0:127.0.0.1]/": "private",
    "http://[64:ff9b::7f00:1]/": "private",
    "http://[64:ff9b::169.254.169.254]/": "private",
    "http://[64:ff9b:1::1]/": "private",
    "http://[2002:7f00:1::]/": "private",
    "http://[2002:a9fe:a9fe::1]/": "private",
    "http://[2001::1]/": "private",
    "http://[2001:0:7f00:1::1]/": "private",
    "http://[2001:20::1]/": "private",
    "http://[2001:db8::1]/": "private",
    "http://[3fff::1]/": "private",
    "http://[5f00::1]/": "private",
    "http://[100::1]/": "private",
    "http://[fc00::1]/": "private",
    "http://[fd00:ec2::254]/": "private",
    "http://[fe80::1]/": "private",
    "http://[febf::1]/": "private",
    "http://[fec0::1]/": "private",
    "http://[ff02::1]/": "private",
    "http://[2600::5efe:127.0.0.1]/": "private",
    "http://[2600::200:5efe:10.0.0.1]/": "private",
    "http://[fe80::1%eth0]/": "malformed",
    "http://[fe80::1%25eth0]/": "malformed",
    "http://[::1]x/": "malformed",
    "http://[::1": "malformed",
    "http://[]/": "malformed",
    "http://[1.2.3.4]/": "numeric",
    "http://[v1.fe80]/": "malformed",
    "http://::1/": "malformed",
    # other spellings of IPv4 addresses
    "http://2130706433/": "numeric",
    "http://017700000001/": "numeric",
    "http://0x7f000001/": "numeric",
    "http://0x7f.1/": "numeric",
    "http://0x7F.0.0.0x1/": "numeric",
    "http://0177.0.0.1/": "numeric",
    "http://127.1/": "numeric",
    "http://127.0.1/": "numeric",
    "http://127.000.000.001/": "numeric",
    "http://1.2.3.4.5/": "numeric",
    "http://256.256.256.256/": "numeric",
    "http://0/": "numeric",
    "http://127.0.0.1./": "numeric",
    "http://www.example.com.0x7f/": "numeric",
    "http://1.2.3.0x/": "numeric",
    # characters that become others
    "http://①②⑦.⓪.⓪.①/": "host",
    "http://１２７.0.0.1/": "numeric",
    "http://127。0。0。1/": "host",
    "http://127．0．0．1/": "host",
    "http://127｡0｡0｡1/": "host",
    "http://١٢٧.٠.٠.١/": "host",
    "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/": "host",
    "http://ｌocalhost/": "host",
    "http://exam\u00adple.com/": "host",
    "http://exa\u200bmple.com/": "host",
    "http://example.com\u202emoc.live/": "host",
    "http://exam\u2100ple.com/": "host",
    "http://faß\u2024.example.com/": "host",
    # percent-encoded hosts
    "http://%31%32%37.0.0.1/": "numeric",
    "http://127.0.0.1%2f.example.com/": "host",
    "http://localhost%00.example.com/": "host",
    "http://example%2ecom/": "host",
    # users and passwords
    "http://www.example.com@127.0.0.1/": "credentials",
    "http://user:password@www.example.com/": "credentials",
    "http://@www.example.com/": "credentials",
    "http://www.example.com:80@10.0.0.1/": "credentials",
    "http://www.example.com%40@evil.com/": "credentials",
    # backslashes, control characters, blanks
    "http://www.example.com\\@127.0.0.1/": "credentials",
    "http://www.example.com\\.evil.com/": "malformed",
    "http:\\\\127.0.0.1\\": "scheme",
    "http://www.example.com/\\..\\x": "malformed",
    "http://www.example.com\t/": "malformed",
    "http://127.0.0.1\r\nHost: a/": "malformed",
    "http://www.example.com/\r\nX-Evil: 1": "malformed",
    "http://www.example.com/\0": "malformed",
    "http://www.example.com /": "malformed",
    "http://www.exam ple.com/": "malformed",
    "http://www.example.com/\ud800": "malformed",
    # names that are not of the internet
    "http://localhost/": "host",
    "http://LOCALHOST/": "host",
    "http://localhost./": "host",
    "http://app.localhost/": "host",
    "http://printer.local/": "host",
    "http://metadata.google.internal/computeMetadata/v1/": "host",
    "http://kubernetes.default.svc.cluster.local/": "host",
    "http://localhost.localdomain/": "host",
    "http://router.lan/": "host",
    "http://nas.home/": "host",
    "http://nas.home.arpa/": "host",
    "http://1.0.0.127.in-addr.arpa/": "host",
    "http://wiki.corp/": "host",
    "http://wiki.intranet/": "host",
    "http://something.onion/": "host",
    "http://intranet/": "host",
    "http://www.example.com./": "host",
    "http://www..example.com/": "host",
    "http://.example.com/": "host",
    "http://-a.example.com/": "host",
    "http://a,b.example.com/": "host",
    f"http://{'a' * 64}.example.com/": "host",
    f"http://{'a.' * 130}com/": "host",
    # ports
    "http://www.example.com:22/": "port",
    "http://www.example.com:25/": "port",
    "http://www.example.com:6379/": "port",
    "http://www.example.com:8321/": "port",
    "http://www.example.com:65616/": "port",
    "http://www.example.com:0/": "malformed",
    "http://www.example.com:080/": "malformed",
    "http://www.example.com:/": "malformed",
    "http://www.example.com:80:80/": "malformed",
    "http://www.example.com:８０/": "malformed",
    "http://www.example.com:-80/": "malformed",
    # schemes, and what is no address
    "file:///etc/passwd": "scheme",
    "ftp://www.example.com/": "scheme",
    "gopher://127.0.0.1:6379/_x": "scheme",
    "javascript:alert(1)": "scheme",
    "data:text/html,hello": "scheme",
    "unix:///var/run/docker.sock": "scheme",
    "ws://www.example.com/": "scheme",
    "http:www.example.com": "scheme",
    "http:/www.example.com": "scheme",
    "localhost:8080": "scheme",
    "view-source:http://www.example.com": "scheme",
    "http://": "malformed",
    "http:///path": "malformed",
    "https://?q": "malformed",
    "//www.example.com/": "malformed",
    "/etc/passwd": "malformed",
    "127.1": "numeric",
    "": "malformed",
    "휴가": "malformed",
    "http://www.example.com/" + "a" * 4000: "malformed",
}


@pytest.mark.parametrize(("url", "problem"), REFUSED.items())
async def test_refuses_by_what_is_written(url, problem):
    with pytest.raises(AddressRefused) as refused:
        await guard().check(url)
    assert refused.value.problem == problem
    assert refused.value.message("ko") != refused.value.message("en")


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["10.0.0.5"],
        ["169.254.169.254"],
        ["::1"],
        ["::ffff:10.0.0.5"],
        ["64:ff9b::a00:5"],
        ["fe80::1%2"],
        ["fd12::1"],
        ["0.0.0.0"],
        [PUBLIC, "192.168.0.1"],
        ["192.168.0.1", PUBLIC],
        ["2606:2800:21f:cb07::1", "::1"],
        ["not an address"],
    ],
    ids=lambda addresses: ",".join(addresses),
)
async def test_refuses_a_name_when_any_of_its_addresses_is_refused(addresses):
    with pytest.raises(AddressRefused) as refused:
        await guard(*addresses).check("https://rebind.example.com/")
    assert refused.value.problem == "private"
    assert addresses[0] not in refused.value.message("en"), "where a private name leads is nobody's business"


@pytest.mark.parametrize(
    ("url", "wanted", "host", "port"),
    [
        ("https://www.example.com", "https://www.example.com/", "www.example.com", 443),
        ("http://www.example.com/a?b=c#d", "http://www.example.com/a?b=c", "www.example.com", 80),
        ("HTTPS://WWW.Example.COM/A", "https://www.example.com/A", "www.example.com", 443),
        ("http://www.example.com:8080/", "http://www.example.com:8080/", "www.example.com", 8080),
        ("https://www.example.com:443/", "https://www.example.com/", "www.example.com", 443),
        ("  https://www.example.com/ \n", "https://www.example.com/", "www.example.com", 443),
        ("www.example.com/page", "https://www.example.com/page", "www.example.com", 443),
        ("example.com?u=http://x", "https://example.com/?u=http://x", "example.com", 443),
        ("https://www.example.com/a b", "https://www.example.com/a%20b", "www.example.com", 443),
        ("https://www.example.com/@user/a:b", "https://www.example.com/@user/a:b", "www.example.com", 443),
        ("https://www.example.com?x=a@b", "https://www.example.com/?x=a@b", "www.example.com", 443),
        ("https://example.com/%2F%EA%B0%80", "https://example.com/%2F%EA%B0%80", "example.com", 443),
        (
            "https://한글.한국/휴가",
            "https://xn--bj0bj06e.xn--3e0b707e/%ED%9C%B4%EA%B0%80",
            "xn--bj0bj06e.xn--3e0b707e",
            443,
        ),
        ("https://xn--bj0bj06e.xn--3e0b707e/", "https://xn--bj0bj06e.xn--3e0b707e/", "xn--bj0bj06e.xn--3e0b707e", 443),
        ("https://a_b.example.co.kr/", "https://a_b.example.co.kr/", "a_b.example.co.kr", 443),
        ("https://8.8.8.8/", "https://8.8.8.8/", "8.8.8.8", 443),
        ("https://[2606:4700:0::1111]/", "https://[2606:4700::1111]/", "2606:4700::1111", 443),
    ],
)
async def test_lets_honest_addresses_through(url, wanted, host, port):
    target = await guard().check(url)
    assert (target.url, target.host, target.port) == (wanted, host, port)
    assert target.addresses == ((host,) if host[0] in "82" else (PUBLIC,))


async def test_keeps_all_addresses_of_a_name():
    target = await guard("2606:2800:21f:cb07::1", PUBLIC, PUBLIC).check("https://www.example.com/")
    assert target.addresses == ("2606:2800:21f:cb07::1", PUBLIC)


async def test_tells_an_unknown_name():
    async def answers(host, port):
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    with pytest.raises(HostUnavailable) as error:
        await Guard(answers).check("https://nowhere.example.com/")
    assert error.value.message("ko").startswith("'nowhere.example.com'을(를) 찾을 수 없습니다")


async def test_resolves_once():
    asked = []

    async def answers(host, port):
        asked.append((host, port))
        return [PUBLIC]

    await Guard(answers).check("https://www.example.com/")
    assert asked == [("www.example.com", 443)]


@pytest.mark.parametrize(
    ("url", "trusted", "open"),
    [
        ("http://127.0.0.1:9000/hook", "127.0.0.1:9000", True),
        ("http://127.0.0.1:9001/hook", "127.0.0.1:9000", False),
        ("https://Hooks.internal/x", "hooks.internal", True),
        ("https://hooks.internal:7000/x", "HOOKS.internal", True),
        ("https://hooks.internal.evil.org:7000/x", "hooks.internal", False),
        ("https://kim@hooks.internal/x", "hooks.internal", False),
        ("http://[::1]:9000/", "[::1]", True),
    ],
)
async def test_a_trusted_host_may_be_anywhere(url, trusted, open):
    async def answers(host, port):
        return ["10.0.0.7"]

    checked = Guard(answers, trusted=[trusted])
    if not open:
        with pytest.raises(AddressRefused):
            await checked.check(url)
        return
    assert (await checked.check(url)).addresses == ("10.0.0.7",)


async def test_the_systems_resolver_gives_addresses():
    assert await lookup("127.0.0.1", 80) == ["127.0.0.1"]


@pytest.mark.parametrize("address", ["1.1.1.1", "9.255.255.255", "172.32.0.1", "100.128.0.1", "223.255.255.255"])
def test_neighbours_of_refused_networks_are_public(address):
    assert is_public(ip_address(address))


@pytest.mark.parametrize("address", ["2001:200::1", "2001:4860:4860::8888", "2400:cb00::1", "3ffe::1"])
def test_global_unicast_is_public(address):
    assert is_public(ip_address(address))
