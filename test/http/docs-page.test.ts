/** The OpenAPI document and its page. */

import { createRoute, z } from '@hono/zod-openapi'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { newApp } from '../../src/http/app.ts'
import { mountContract } from '../../src/http/docs-page.ts'
import { logger } from '../../src/log.ts'

const route = createRoute({
  method: 'get',
  path: '/things/{id}',
  request: { query: z.object({ lang: z.enum(['no', 'en']).default('no') }) },
  responses: { 200: { description: 'no' } },
})

function station(base = '') {
  const app = newApp({ log: logger('silent'), name: 'test', base })
  app.openapi(route, (c) => c.body(null))
  mountContract(app, { title: 'A <b>title</b>', version: '1.2.3', description: 'Things.' })
  return app
}

const page = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }

describe('the document', () => {
  it('is OpenAPI 3.1 with the routes relative to the service', async () => {
    const document = await (await station('/api/x').request('/api/x/openapi.json')).json()
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'A <b>title</b>', version: '1.2.3', description: 'Things.' },
      servers: [{ url: '/api/x' }, { url: '.' }],
      paths: { '/things/{id}': { get: { responses: { 200: { description: 'no' } } } } },
    })
  })

  it('is the same as YAML, and a language called no stays a text for YAML 1.1 readers', async () => {
    const app = station()
    const answer = await app.request('/openapi.yaml')
    const text = await answer.text()
    expect(answer.headers.get('Content-Type')).toBe('application/yaml')
    expect(parse(text)).toEqual(await (await app.request('/openapi.json')).json())
    expect(parse(text, { version: '1.1' })).toEqual(parse(text))
  })
})

describe('the service root', () => {
  it.each([undefined, '*/*', 'application/json', 'application/json, text/html;q=0.5'])(
    'is the document for Accept %s',
    async (accept) => {
      const headers: Record<string, string> = accept === undefined ? {} : { Accept: accept }
      const answer = await station('/api/x').request('/api/x/', { headers })
      expect(answer.headers.get('Content-Type')).toBe('application/json')
      expect(answer.headers.get('Vary')).toContain('Accept')
      expect(await answer.json()).toMatchObject({ openapi: '3.1.0' })
    },
  )

  it('names the server so that it is found from either form of the root', async () => {
    const app = station('/api/x')
    for (const path of ['/api/x', '/api/x/', '/api/x/openapi.json']) {
      const text = await (await app.request(path)).text()
      const document: { servers: { url: string }[] } = JSON.parse(text)
      const server = new URL(document.servers.at(-1)?.url ?? '', `http://h/proxy${path}`)
      expect(server.href.replace(/\/$/, '')).toBe('http://h/proxy/api/x')
    }
  })

  it('names the path of the public address first, for tools that resolve no relative one', async () => {
    const publicAddress = { base: 'https://data.example.org/portal/' }
    const app = newApp({ log: logger('silent'), name: 'test', base: '/api/x', publicAddress })
    mountContract(app, { title: 'x', version: '1', description: 'x' })
    const document = await (await app.request('/api/x/openapi.json')).json()
    expect(document).toMatchObject({ servers: [{ url: '/portal/api/x' }, { url: '.' }] })
    expect(document).toMatchObject({ info: { title: 'x', version: '1', description: 'x' } })
  })

  it('is a page for a browser, strict about what it may load', async () => {
    const answer = await station().request('/', page)
    const policy = answer.headers.get('Content-Security-Policy') ?? ''
    expect(answer.headers.get('Content-Type')).toMatch(/^text\/html/)
    expect(answer.headers.get('Referrer-Policy')).toBe('no-referrer')
    expect(policy).toContain(`default-src 'none'`)
    expect(policy).toContain(`script-src 'self';`)
    expect(policy).toContain(`frame-ancestors 'none'`)
  })

  it('[T13] escapes its title', async () => {
    const text = await (await station().request('/', page)).text()
    expect(text).toContain('A &lt;b&gt;title&lt;/b&gt;')
  })
})

describe('the page', () => {
  it.each(['/api/x', '/api/x/'])(
    'at %s loads everything from this service, whatever stands before its path',
    async (path) => {
      const app = station('/api/x')
      const text = await (await app.request(path, page)).text()
      expect(text).not.toMatch(/https?:\/\//)
      const links = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '')
      expect(links).toHaveLength(4)
      for (const link of links) {
        const seen = new URL(link, `http://h/proxy${path}`)
        const answer = await app.request(seen.pathname.replace('/proxy', ''))
        expect(answer.status).toBe(200)
        expect(answer.headers.get('Content-Type')).toMatch(/^(text\/(css|javascript)|image\/png)/)
      }
    },
  )

  it('has no inline script, and its script finds the document two folders up', async () => {
    const app = station()
    const text = await (await app.request('/', page)).text()
    expect(text).not.toMatch(/<script(?![^>]*src=)/)
    const script = /src="\.(\/docs\/[^"]*start\.js)"/.exec(text)?.[1] ?? ''
    expect(await (await app.request(script)).text()).toContain('../../openapi.json')
    expect(new URL('../../openapi.json', `http://h${script}`).pathname).toBe('/openapi.json')
  })
})
