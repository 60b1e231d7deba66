/** RDF over HTTP: what is taken, what is given, in which format. */

import { describe, expect, it } from 'vitest'
import { newApp } from '../../src/http/app.ts'
import { answerRdf, refuseEmptyText, readRdfText } from '../../src/http/rdf.ts'
import { logger } from '../../src/log.ts'
import { toLines } from '../../src/rdf/lines.ts'
import { formatOfSuffix, splitSuffix } from '../../src/rdf/media-types.ts'
import { parse } from '../../src/rdf/parse.ts'
import { literal, namedNode, quad } from '../../src/rdf/terms.ts'

const quads = [quad(namedNode('http://x/s'), namedNode('http://x/p'), literal('é'))]

function station() {
  const app = newApp({ log: logger('silent'), name: 'test' })
  app.get('/things/:id', (c) => {
    const { format } = splitSuffix(c.req.param('id'))
    return answerRdf(c, toLines(quads), {
      suffix: format,
      graph: 'http://x/g',
      hash: 'abc',
      modified: new Date(0),
      name: 'd"é\n',
    })
  })
  app.get('/odd/:id', (c) => {
    const { format } = splitSuffix(c.req.param('id'))
    const lines = toLines([quad(namedNode('http://x/s'), namedNode('http://x/1'), literal('é'))])
    return answerRdf(c, lines, { suffix: format, name: 'd' })
  })
  app.put('/things', async (c) => {
    const { text, format } = await readRdfText(c, { bytes: 1000 })
    refuseEmptyText(text)
    const read = await parse(text, format, { baseIri: 'http://x/base' })
    return c.json(read.map(({ subject, object }) => [subject.value, object.value]))
  })
  const put = (body: string | Uint8Array<ArrayBuffer>, type?: string) =>
    app.request('/things', {
      method: 'PUT',
      body,
      headers: type === undefined ? {} : { 'Content-Type': type },
    })
  return { app, put }
}

const get = (path: string, headers: Record<string, string> = {}) =>
  station().app.request(path, { headers })

describe('an answer', () => {
  it.each([
    [undefined, 'application/ld+json'],
    ['*/*', 'application/ld+json'],
    ['text/turtle', 'text/turtle; charset=utf-8'],
    ['text/turtle;q=0.4, application/n-triples', 'application/n-triples'],
    ['text/*', 'text/turtle; charset=utf-8'],
    ['application/json', 'application/json'],
    ['text/html, application/json;q=0.5', 'application/json'],
  ])('for Accept %s is %s', async (accept, type) => {
    const answer = await get('/things/x', accept === undefined ? {} : { Accept: accept })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('Content-Type')).toBe(type)
    expect(answer.headers.get('Vary')).toMatch(/\bAccept\b/)
  })

  it('follows the suffix, whatever Accept says', async () => {
    const answer = await get('/things/x.nt', { Accept: 'text/turtle' })
    expect(answer.headers.get('Content-Type')).toBe('application/n-triples')
    expect(await answer.text()).toBe('<http://x/s> <http://x/p> "é" .\n')
  })

  it('names the graph in formats that have graphs', async () => {
    expect(await (await get('/things/x.nq')).text()).toContain('<http://x/g> .')
    expect(formatOfSuffix('nq')).toBe('nquads')
  })

  it('is a 406 that names the formats when none is acceptable', async () => {
    const answer = await get('/things/x', { Accept: 'image/png' })
    expect(answer.status).toBe(406)
    expect(await answer.text()).toContain('text/turtle')
  })

  it.each([
    ['application/rdf+xml, text/turtle;q=0.5', 'text/turtle; charset=utf-8', 'ttl'],
    ['application/rdf+xml, */*;q=0.1', 'application/ld+json', 'jsonld'],
  ])('for Accept %s is %s where RDF/XML cannot express it', async (accept, type, suffix) => {
    for (const method of ['GET', 'HEAD']) {
      const headers = { Accept: accept }
      const answer = await station().app.request('/odd/x', { method, headers })
      expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, type])
      expect(answer.headers.get('Content-Disposition')).toContain(`d.${suffix}`)
      expect((await answer.text()).includes('é')).toBe(method === 'GET')
    }
  })

  it('is a 406 with the reason where RDF/XML alone is wanted, by Accept or by suffix, and cannot express it', async () => {
    const answers = [
      await get('/odd/x', { Accept: 'application/rdf+xml' }),
      await get('/odd/x', { Accept: 'application/rdf+xml, text/turtle;q=0' }),
      await get('/odd/x.rdf', { Accept: '*/*' }),
    ]
    for (const answer of answers) {
      expect(answer.status).toBe(406)
      expect(await answer.text()).toContain('<http://x/1>')
    }
  })

  it('has the hash as strong tag, the date, and a name that cannot end the header', async () => {
    const { headers } = await get('/things/x.ttl')
    expect(headers.get('ETag')).toBe('"abc"')
    expect(headers.get('Last-Modified')).toBe('Thu, 01 Jan 1970 00:00:00 GMT')
    expect(headers.get('Content-Disposition')).toBe(`inline; filename*=UTF-8''d%22%C3%A9%0A.ttl`)
  })

  it('is an empty 304 with the same tag for a reader that has it', async () => {
    const answer = await get('/things/x', { 'If-None-Match': '"abc"' })
    expect(answer.status).toBe(304)
    expect(await answer.text()).toBe('')
    expect(answer.headers.get('ETag')).toBe('"abc"')
    expect(answer.headers.get('Vary')).toContain('Accept')
  })
})

describe('a body', () => {
  it('is read in its format, relative to the IRI of the resource', async () => {
    const answer = await station().put('<> <http://x/p> "é" .', 'text/turtle; charset=UTF-8')
    expect(await answer.json()).toEqual([['http://x/base', 'é']])
  })

  it.each(['utf8', '"UTF-8"', 'us-ascii', 'ISO-8859-1', '"latin1"', 'windows-1252'])(
    'in UTF-8 is read although its charset is %s',
    async (charset) => {
      const type = `text/turtle; charset=${charset}`
      const answer = await station().put('<> <http://x/p> "é" .', type)
      expect(await answer.json()).toEqual([['http://x/base', 'é']])
    },
  )

  it.each([
    ['text/turtle; charset=iso-8859-1', Buffer.from('<> <http://x/p> "é" .', 'latin1')],
    ['text/turtle;charset="ISO-8859-1"', Buffer.from('<> <http://x/p> "é" .', 'latin1')],
    ['text/turtle', Buffer.from('\uFEFF<> <http://x/p> "é" .', 'utf16le')],
  ])('in the charset of %s is decoded', async (type, body) => {
    const answer = await station().put(body, type)
    expect(await answer.json()).toEqual([['http://x/base', 'é']])
  })

  it('in a charset that nobody knows is a 415 that names it', async () => {
    const answer = await station().put('<> <http://x/p> "é" .', 'text/turtle; charset=klingon')
    expect(answer.status).toBe(415)
    expect(await answer.json()).toMatchObject({
      detail: 'the charset klingon of the Content-Type is not known: send UTF-8',
    })
  })

  it.each([undefined, 'text/plain', 'application/json', 'text/html; charset=latin1'])(
    'of the type %s is a 415 that names the others',
    async (type) => {
      const answer = await station().put(new Uint8Array([32]), type)
      expect(answer.status).toBe(415)
      expect(answer.headers.get('Accept')).toContain('text/turtle')
      expect(await answer.text()).toContain('application/ld+json')
    },
  )

  it.each([
    ['', 400, 'empty-body'],
    [' \n', 400, 'empty-body'],
    ['<a> <b', 400, 'malformed-rdf'],
    ['#'.repeat(1001), 413, 'too-large'],
  ])('%j is a %s %s', async (body, status, kind) => {
    const answer = await station().put(body, 'text/turtle')
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ type: `urn:cartulary:problem:${kind}` })
  })

  it('that is not UTF-8 is malformed, with the line', async () => {
    const answer = await station().put(new Uint8Array([10, 0xff]), 'text/turtle')
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ errors: [{ line: 2 }] })
  })
})
