import ssl

import aiohttp
import httpx
import requests


def fetch(url, session, archive, checking):
    requests.get(url)
    requests.get(url, verify=True)
    requests.get(url, verify="/etc/ssl/company.pem")
    session.verify = checking
    httpx.Client(verify=ssl.create_default_context(), http2=False)
    aiohttp.TCPConnector(ssl=True)
    archive.extract(url, verify=False)
    verify = False
    context = ssl.create_default_context()
    context.check_hostname = True
    context.verify_mode = ssl.CERT_REQUIRED
    return context, verify
