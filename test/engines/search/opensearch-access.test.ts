/** OpenSearch over TLS with an authority of its own, and with a user or a key: what is right works, and what is wrong is said. */

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { logger } from '../../../src/log.ts'
import { opensearchIndex } from '../../../src/search-index/opensearch/opensearch-index.ts'
import type { SearchIndex } from '../../../src/search-index/search-index.ts'
import * as corpus from '../../contracts/search-index-corpus.ts'
import { certificateAuthority } from '../../support/certificates.ts'
import { runs } from '../../support/engines/engine.ts'
import { eventually, gateway, type Gateway } from '../../support/gateway.ts'
import { isClusterMissing } from './opensearch-under-test.ts'

const [password, apiKey] = ['pa:ss wörd "1"', 'aWQ6c2VjcmV0LWtleQ==']
const basicOf = (word: string) => `Basic ${Buffer.from(`cartulary:${word}`).toString('base64')}`

const pause = (ms: number, signal: AbortSignal) =>
  sleep(ms, undefined, { signal }).catch(() => undefined)

/** What a node says to a user without a permission. */
const forbidden = {
  error: {
    root_cause: [{ type: 'security_exception', reason: 'no permissions for [indices:admin/get]' }],
    type: 'security_exception',
    reason: 'no permissions for [indices:admin/get]',
  },
  status: 403,
}

describe.skipIf(isClusterMissing || !runs('openssl', 'version'))(
  'OpenSearch that asks who enters',
  () => {
    let directory: string
    let authority: ReturnType<typeof certificateAuthority>
    let server: Server
    let url: string
    let isForbidden = false
    const accepted = new Set<string>()
    const opened: SearchIndex[] = []
    const running: Gateway[] = []
    const prefix = `access${randomBytes(6).toString('hex')}_`
    const node = () => {
      const place = inject('opensearch')
      return 'missing' in place ? '' : (place.urls[0] ?? '')
    }

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'cartulary-access-'))
      authority = certificateAuthority(directory, 'authority')
      server = createServer(authority.issue('IP:127.0.0.1'), (asked, answer) => {
        if (!accepted.has(asked.headers.authorization ?? '')) {
          asked.resume()
          answer.writeHead(401, { 'WWW-Authenticate': 'Basic realm="OpenSearch Security"' })
          answer.end('Unauthorized')
        } else if (isForbidden && asked.url !== '/') {
          asked.resume()
          answer.writeHead(403, { 'Content-Type': 'application/json' })
          answer.end(JSON.stringify(forbidden))
        } else {
          const { method = 'GET', headers } = asked
          const passed = request(node() + (asked.url ?? '/'), { method, headers }, (given) => {
            answer.writeHead(given.statusCode ?? 502, given.headers)
            given.pipe(answer)
          })
          passed.on('error', () => answer.destroy())
          asked.pipe(passed)
        }
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    })
    afterEach(async () => {
      for (const index of opened.splice(0)) await index.close()
      for (const platform of running.splice(0)) await platform.stop()
      server.setSecureContext(authority.issue('IP:127.0.0.1'))
      accepted.clear()
      isForbidden = false
    })
    afterAll(async () => {
      server?.closeAllConnections()
      server?.close()
      await fetch(`${node()}/${prefix}*`, { method: 'DELETE' })
      await rm(directory, { recursive: true, force: true })
    })

    const open = async (more: object) => {
      const index = await opensearchIndex({
        urls: [url],
        prefix,
        ca: authority.pem,
        log: logger('silent'),
        languages: corpus.languages,
        pause,
        now: () => performance.now(),
        cursors: { perClient: 16, total: 256, ttlMs: 60_000, bytes: 2 ** 28 },
        ...more,
      })
      opened.push(index)
      return index
    }
    const detailOf = async (more: object) => {
      const index = await open(more)
      const failure = await index.configure(corpus.settings).then(
        () => ({ kind: 'none', detail: '' }),
        ({ kind, detail }: { readonly kind: string; readonly detail: string }) => ({
          kind,
          detail,
        }),
      )
      return [failure.kind, failure.detail]
    }
    const right = { username: 'cartulary', password }

    it.each([
      ['a user', basicOf(password), right],
      ['a key', `ApiKey ${apiKey}`, { apiKey }],
    ])('with %s records are written and found', async (_, header, credentials) => {
      accepted.add(header)
      const index = await open(credentials)
      await corpus.configured(index)
      await index.write(corpus.documents.map((put) => ({ put })))
      expect((await index.search(corpus.request())).count).toBe(14)
    })

    const refuses = 'The search engine refuses the configured credentials.'
    it.each([
      ['a wrong password', { username: 'cartulary', password: 'wrong' }, refuses],
      ['a wrong key', { apiKey: 'wrong' }, refuses],
      ['no user and no key', {}, refuses],
    ])('with %s nothing is done, and it says why', async (_, credentials, detail) => {
      accepted.add(basicOf(password)).add(`ApiKey ${apiKey}`)
      expect(await detailOf(credentials)).toEqual(['engine-unavailable', detail])
    })

    it('with a user who lacks a permission it says so', async () => {
      accepted.add(basicOf(password))
      isForbidden = true
      expect(await detailOf(right)).toEqual([
        'engine-unavailable',
        'The search engine does not allow the call to this user or key.',
      ])
    })

    it.each([
      [
        'of another authority',
        'is not trusted',
        () => certificateAuthority(directory, 'other').issue('IP:127.0.0.1'),
      ],
      ['that has expired', 'has expired', () => authority.issue('IP:127.0.0.1', -1)],
      ['of another host', 'another host', () => authority.issue('DNS:other.example')],
    ])('nothing is sent to a node with a certificate %s', async (_, words, certificate) => {
      accepted.add(basicOf(password))
      server.setSecureContext(certificate())
      const [kind, detail] = await detailOf(right)
      expect([kind, detail]).toEqual(['engine-unavailable', expect.stringContaining(words)])
      expect(detail).toContain('certificate')
    })

    it('a platform starts with a wrong password, says so without it, and goes on when it is right', async () => {
      const secret = join(directory, 'engine.json')
      const config = { engine: 'opensearch', urls: [url], ca: authority.path, prefix, ...right }
      await writeFile(secret, JSON.stringify(config))
      const platform = await gateway(await mkdtemp(join(directory, 'data-')), {
        PLATFORM_SEARCH_ENGINE_CONFIG_FILE: secret,
      })
      running.push(platform)
      const health = async () => await (await fetch(`${platform.url}/health`)).text()
      expect(JSON.parse(await health())).toMatchObject({
        status: 'degraded',
        index: { ready: false },
      })
      const search = await fetch(`${platform.url}/api/hub/search/search?q=water`)
      expect([search.status, Number(search.headers.get('Retry-After')) > 0]).toEqual([503, true])
      expect(platform.log()).toContain(refuses)
      expect(JSON.parse(await health()).index.details).toContain(refuses)
      const shown = `${await health()} ${await search.text()} ${platform.log()}`
      for (const word of [password, basicOf(password), 'pa:ss', basicOf(password).slice(6)])
        expect(shown).not.toContain(word)
      accepted.add(basicOf(password))
      expect(await eventually(async () => JSON.parse(await health()).status === 'up')).toBe(true)
    })
  },
)
