/** Examples of proxies and of the systemd unit, with the programs of the system; skipped where a program is not installed. */

import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { OutgoingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'

const root = new URL('../..', import.meta.url).pathname
const has = (program: string) => spawnSync('which', [program]).status === 0
const key = 'key-for-everything-0001'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a listening TCP server has one
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

type Place = { readonly directory: string; readonly port: number; readonly upstream: string }

/** Files of a proxy with the ports and certificate of a test, and the command that runs it. */
const proxies: Readonly<Record<string, (place: Place) => readonly string[]>> = {
  nginx: ({ directory, port, upstream }) => {
    const site = readFileSync(join(root, 'deploy/nginx.conf'), 'utf8')
      .replace('127.0.0.1:8080', upstream)
      .replace(/server \{\n {2}listen 80;[^}]*\}\n/, '')
      .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
      .replaceAll('/etc/ssl/data.example.org', directory)
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${directory}/${name};`,
    )
    const log = `error_log ${directory}/error.log; pid ${directory}/pid; daemon off;`
    const http = `http { access_log off; ${temporary.join(' ')}\n${site}\n}`
    writeFileSync(join(directory, 'nginx.conf'), `${log}\nevents {}\n${http}\n`)
    return ['nginx', '-c', join(directory, 'nginx.conf'), '-e', join(directory, 'error.log')]
  },
  caddy: ({ directory, port, upstream }) => {
    const site = readFileSync(join(root, 'deploy/Caddyfile'), 'utf8')
      .replace('127.0.0.1:8080', upstream)
      .replace(
        'data.example.org {',
        `{\n\tadmin off\n\tauto_https disable_redirects\n}\nhttps://data.example.org:${port} {\n\ttls ${directory}/fullchain.pem ${directory}/privkey.pem`,
      )
    writeFileSync(join(directory, 'Caddyfile'), site)
    return ['caddy', 'run', '--config', join(directory, 'Caddyfile'), '--adapter', 'caddyfile']
  },
}

describe.each(Object.keys(proxies))('%s', (name) => {
  const isThere = has(name) && has('openssl')
  let directory: string
  let platform: Gateway
  let proxy: ChildProcess
  let port: number

  const ask = (
    path: string,
    {
      method = 'GET',
      headers = {},
      body,
    }: { method?: string; headers?: OutgoingHttpHeaders; body?: string | Buffer } = {},
  ) =>
    new Promise<{ status: number; headers: Record<string, unknown>; text: string }>(
      (resolve, reject) => {
        const sent = request(
          {
            host: '127.0.0.1',
            port,
            path,
            method,
            servername: 'data.example.org',
            rejectUnauthorized: false,
            headers: { Host: 'data.example.org', ...headers },
          },
          (answer) => {
            let text = ''
            answer.setEncoding('utf8')
            answer.on('data', (chunk: string) => (text += chunk))
            answer.on('end', () =>
              resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }),
            )
          },
        )
        sent.on('error', reject)
        sent.end(body)
      },
    )

  beforeAll(async () => {
    if (!isThere) return
    directory = await temporaryDirectory()
    platform = await gateway(join(directory, 'data'), {
      PLATFORM_HUB_API_KEYS: JSON.stringify({ [key]: ['*'] }),
      PLATFORM_TRUSTED_PROXIES: '127.0.0.1',
    })
    const api = client({ url: platform.url, key })
    await api.put('/catalogues/water', `${prefixes}<> a dcat:Catalog ; dct:title "Water"@en .`)
    const subject = `-subj /CN=data.example.org -keyout ${directory}/privkey.pem -out ${directory}/fullchain.pem`
    const kind = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2'
    await promisify(execFile)('openssl', `${kind} ${subject}`.split(' '))
    port = await freePort()
    const upstream = new URL(platform.url).host
    const [program = '', ...words] = proxies[name]?.({ directory, port, upstream }) ?? []
    proxy = spawn(program, words, {
      stdio: 'ignore',
      env: { ...process.env, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory },
    })
    const answers = () =>
      ask('/health/live').then(
        ({ status }) => status === 200,
        () => false,
      )
    if (!(await eventually(answers))) throw new Error(`${name} does not answer`)
  }, 60_000)
  afterAll(async () => {
    if (!isThere) return
    proxy.kill('SIGTERM')
    if (proxy.exitCode === null) await once(proxy, 'exit')
    await platform.stop()
    await remove(directory)
  })

  it.skipIf(!isThere)('hands on the address that the client asked', async () => {
    const { text } = await ask('/robots.txt')
    expect(text).toContain('Sitemap: https://data.example.org/')
    expect(text).not.toContain('127.0.0.1')
    const { headers } = await ask('/')
    expect(headers['strict-transport-security']).toBe('max-age=31536000')
  })

  it.skipIf(!isThere)(
    'leaves refusals of large bodies to the platform, and encoded slashes as they are',
    async () => {
      const headers = { 'X-API-Key': key, 'Content-Type': 'text/turtle' }
      const path = '/api/hub/repo/catalogues/water/datasets/origin?originalId=a%2Fb'
      const body = Buffer.alloc(120 * 2 ** 20, '# filler\n')
      const { status, text } = await ask(path, { method: 'PUT', headers, body })
      expect([status, text]).toEqual([413, expect.stringContaining('bodyBytes')])
      const { status: missing, headers: answered } = await ask('/api/hub/repo/datasets/a%2Fb')
      // No id has a slash; decoded by the proxy it would be another address, which is 404.
      expect([missing, answered['content-type']]).toEqual([400, 'application/problem+json'])
    },
  )

  it.skipIf(!isThere)('does not believe what a client says of itself', async () => {
    const forged = {
      Forwarded: 'for=9.9.9.9;host=evil.example',
      'X-Forwarded-Host': 'evil.example',
    }
    const { text } = await ask('/robots.txt', { headers: forged })
    expect(text).toContain('https://data.example.org/')
    expect(text).not.toContain('evil.example')
  })

  it.skipIf(!isThere)('lets people sign in, with a cookie for TLS alone', async () => {
    const { headers } = await ask('/en/sign-in', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        Origin: 'https://data.example.org',
      },
      body: new URLSearchParams({ key }).toString(),
    })
    expect(String(headers['set-cookie'])).toMatch(/^__Host-.*; Secure/)
    expect(headers['location']).not.toContain('127.0.0.1')
  })
})

const analyze = 'systemd-analyze'

describe('the unit of systemd', () => {
  const path = join(root, 'deploy/cartulary.service')

  it.skipIf(!has(analyze))('is valid, and lets the process do little', () => {
    const verified = spawnSync(analyze, ['verify', path], { encoding: 'utf8' })
    const complaints = verified.stderr
      .split('\n')
      .filter((line) => line !== '' && !line.includes('is not executable: No such file'))
    expect(complaints).toEqual([])
    const words = ['security', '--offline=true', path]
    const { stdout } = spawnSync(analyze, words, { encoding: 'utf8' })
    expect(Number(/exposure level for cartulary.service: ([\d.]+)/.exec(stdout)?.[1])).toBeLessThan(
      3,
    )
  })

  it('starts the program of the package', () => {
    const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { bin: object }
    expect(readFileSync(path, 'utf8')).toContain('/node_modules/.bin/cartulary start')
    expect(bin).toEqual({ cartulary: 'bin/cartulary.js' })
    expect(existsSync(join(root, 'bin/cartulary.js'))).toBe(true)
  })
})
