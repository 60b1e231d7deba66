/** The stores of `compose/`, started by the very commands of their images: they come up, ask who enters, and say that they are well. */

import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { composeFile } from '../deployment/compose-schema.ts'
import { composed, envFile, root } from '../deployment/reading.ts'
import { freePort } from '../support/engines/engine.ts'
import { fusekiJar } from '../support/engines/fuseki.ts'
import { running, type Running } from '../support/engines/running.ts'

const secrets = { FUSEKI_PASSWORD: 'f0f0', VIRTUOSO_PASSWORD: 'a1a1' }
const settings: Readonly<Record<string, string>> = { ...envFile('compose/example.env'), ...secrets }

/** The health check of a service, run here, on another port. */
function checked(store: 'fuseki' | 'virtuoso', inside: number, port: number): Promise<boolean> {
  const { services } = composeFile.parse(composed(`compose/${store}.yml`, settings))
  const [, file = '', ...words] = services[store]?.healthcheck?.test ?? []
  const here = words.map((word) => word.replace(`/${inside} `, `/${port} `))
  return promisify(execFile)(file, here).then(
    () => true,
    () => false,
  )
}

const virtuoso = inject('virtuoso')
describe.skipIf('missing' in virtuoso)('the health check of Virtuoso', () => {
  it('tells a server that runs from one that does not', async () => {
    const address = 'missing' in virtuoso ? '' : virtuoso.config.queryEndpoint
    expect(await checked('virtuoso', 8890, Number(new URL(address).port))).toBe(true)
    expect(await checked('virtuoso', 8890, await freePort())).toBe(false)
  })
})

describe.skipIf('missing' in inject('fuseki'))('the Fuseki of the compose file', () => {
  let directory: string
  let server: Running
  let port: number
  const status = async (path: string, password?: string) => {
    const Authorization = `Basic ${btoa(`${settings['FUSEKI_USER']}:${password}`)}`
    const headers = password === undefined ? undefined : { Authorization }
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, headers && { headers })
    await answer.body?.cancel()
    return answer.status
  }
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'cartulary-compose-'))
    port = await freePort()
    server = await running({
      file: 'sh',
      arguments: [join(root, 'compose/fuseki/start.sh')],
      directory,
      env: {
        FUSEKI_JAR: fusekiJar(),
        FUSEKI_BASE: join(directory, 'base'),
        FUSEKI_DATABASE: join(directory, 'tdb2'),
        FUSEKI_LISTEN: String(port),
        FUSEKI_USER: settings['FUSEKI_USER'] ?? '',
        FUSEKI_PASSWORD: secrets.FUSEKI_PASSWORD,
      },
      answersAt: `http://127.0.0.1:${port}/$/ping`,
      patienceMs: 120_000,
    })
  })
  afterAll(async () => {
    await server.end('SIGKILL')
    await rm(directory, { recursive: true, force: true })
  })

  it('lets its user do everything, the admin UI included, and nobody else anything', async () => {
    const doors = ['/', '/$/server', '/$/datasets', '/ds/query?query=ASK%7B%7D']
    for (const endpoint of doors) {
      expect([endpoint, await status(endpoint)]).toEqual([endpoint, 401])
      expect([endpoint, await status(endpoint, 'wrong')]).toEqual([endpoint, 401])
      expect([endpoint, await status(endpoint, secrets.FUSEKI_PASSWORD)]).toEqual([endpoint, 200])
    }
  })

  it('is told apart by its health check from a server that does not run', async () => {
    expect(await checked('fuseki', 3030, port)).toBe(true)
    expect(await checked('fuseki', 3030, await freePort())).toBe(false)
  })
})
