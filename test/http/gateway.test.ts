/** Several stations behind one address. */

import { describe, expect, it } from 'vitest'
import { newApp, gateway } from '../../src/http/app.ts'
import { logger } from '../../src/log.ts'

function station(base: string) {
  const app = newApp({ log: logger('silent'), name: base, base })
  app.get('/', (c) => c.text(`${base}:root`))
  app.get('/thing', (c) => c.text(`${base}:thing`))
  return { base, app }
}

const bases = ['/api/hub', '/api/hub/search', '/sparql']
const ask = async (path: string, extra: string[] = []) =>
  gateway([...bases, ...extra].map(station)).fetch(new Request(`http://h${path}`))

describe('a request', () => {
  it.each([
    ['/api/hub/thing', '/api/hub:thing'],
    ['/api/hub/search/thing', '/api/hub/search:thing'],
    ['/api/hub/search', '/api/hub/search:root'],
    ['/api/hub/search/', '/api/hub/search:root'],
    ['/api/hub/search?q=/sparql', '/api/hub/search:root'],
    ['/sparql', '/sparql:root'],
  ])('for %s goes to %s', async (path, expected) => {
    expect(await (await ask(path)).text()).toBe(expected)
  })

  it.each(['/', '/api', '/sparqlx', '/api/hubble/thing'])(
    'for %s, which no station has, is a 404 problem',
    async (path) => {
      const answer = await ask(path)
      expect(answer.status).toBe(404)
      expect(await answer.json()).toMatchObject({
        type: 'urn:cartulary:problem:not-found',
        instance: path,
      })
    },
  )

  it('goes to a station at the root when no other fits', async () => {
    expect(await (await ask('/thing', [''])).text()).toBe(':thing')
    expect(await (await ask('/', [''])).text()).toBe(':root')
    expect(await (await ask('/sparql', [''])).text()).toBe('/sparql:root')
  })
})
