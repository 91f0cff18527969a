import ssl

import aiohttp
import httpx
import requests
import urllib3


def fetch(url, session):
    requests.get(url, verify=False)  # bad
    session.post(url, json={}, verify=False, timeout=3)  # bad
    session.verify = False  # bad
    httpx.Client(verify=False)  # bad
    urllib3.PoolManager(cert_reqs="CERT_NONE")  # bad
    aiohttp.TCPConnector(ssl=False)  # bad
    aiohttp.TCPConnector(verify_ssl=False)  # bad
    context = ssl.create_default_context()
    context.check_hostname = False  # bad
    context.verify_mode = ssl.CERT_NONE  # bad
    ssl._create_default_https_context = ssl._create_unverified_context  # bad
    return ssl._create_unverified_context()  # bad
