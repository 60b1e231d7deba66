/** The files of the demonstration and how they are served: as a city, a river authority and a statistics office would. */

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { Quad } from '@rdfjs/types'
import { demoFailures, openDemoFiles } from '../../src/harvest/demo-files.ts'
import { splitSuffix } from '../../src/rdf/media-types.ts'
import { parse } from '../../src/rdf/parse.ts'

const root = new URL('../../pipes/demo/', import.meta.url).pathname
const files = await openDemoFiles(`${root}files`)
const here = 'http://127.0.0.1:4000'
const ask = (path: string, init?: RequestInit) => files.answer(new Request(`${here}/${path}`, init))

/** Statements of the sample catalogues with the addresses that the demonstration imports. */
async function relocated(): Promise<readonly Quad[]> {
  const quads: Quad[] = []
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    if (!entry.isFile()) continue
    const text = files.relocate(readFileSync(`${root}${entry.name}`, 'utf8'), here)
    const format = splitSuffix(entry.name).format ?? 'turtle'
    quads.push(...(await parse(text, format, { baseIri: `urn:x:${entry.name}` })))
  }
  return quads
}

const quads = await relocated()
const valuesOf = (name: string) =>
  quads.flatMap(({ predicate, object }) =>
    predicate.value.endsWith(`#${name}`) ? [object.value] : [],
  )

it('has a file, a page or an interface for every address that a dataset or a data service names', async () => {
  const addresses = ['accessURL', 'downloadURL', 'landingPage', 'endpointURL'].flatMap(valuesOf)
  addresses.push(...valuesOf('endpointDescription'))
  const statuses = new Map<string, number>()
  for (const address of addresses) {
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:4000\//)
    const { status } = await ask(address.slice(here.length + 1), { method: 'HEAD' })
    statuses.set(address, status)
  }
  expect(statuses.size).toBeGreaterThan(100)
  const failing = [...statuses].filter(([, status]) => status !== 200)
  expect(failing).toEqual([...demoFailures].map(([path, status]) => [`${here}/${path}`, status]))
})

it('leaves the names of datasets, publishers and distributions as they are', () => {
  expect(quads.map(({ subject }) => subject.value).filter((iri) => iri.startsWith(here))).toEqual(
    [],
  )
})

it('serves each file with the size and the media type that its catalogue says', async () => {
  const said = (subject: string, name: string) =>
    quads.find(({ subject: s, predicate }) => s.value === subject && predicate.value.endsWith(name))
      ?.object.value
  const wrong: string[] = []
  for (const { subject, predicate, object } of quads) {
    if (!predicate.value.endsWith('#downloadURL')) continue
    const path = object.value.slice(here.length + 1)
    const { headers, status } = await ask(path, { method: 'HEAD' })
    if (status !== 200) continue
    const size = said(subject.value, '#byteSize')
    const type = said(subject.value, '#mediaType')?.split('/media-types/')[1]
    const served = [headers.get('Content-Length'), headers.get('Content-Type')?.split(';')[0]]
    if (size !== undefined && size !== served[0]) wrong.push(`${path}: ${size}, is ${served[0]}`)
    if (type !== undefined && type !== served[1]) wrong.push(`${path}: ${type}, is ${served[1]}`)
  }
  expect(wrong).toEqual([])
})

it('has files in many formats, which are small together', () => {
  const names = readdirSync(`${root}files`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`)
  const suffixes = new Set(names.map((name) => name.replace(/.*\./, '')))
  for (const suffix of ['csv', 'tsv', 'geojson', 'xlsx', 'json', 'pdf', 'xml', 'zip', 'ods'])
    expect(suffixes).toContain(suffix)
  expect(names.length).toBeGreaterThan(100)
  expect(names.reduce((sum, name) => sum + statSync(name).size, 0)).toBeLessThan(600_000)
})

it('answers HEAD, conditional requests and scripts of other sites', async () => {
  const path = 'donnees.montreval.example/files/budget-participatif/projets.csv'
  const got = await ask(path)
  const bytes = Buffer.from(await got.arrayBuffer())
  expect(got.headers.get('Content-Type')).toBe('text/csv; charset=iso-8859-1')
  expect(new TextDecoder('latin1').decode(bytes)).toMatch(/^année;projet;quartier;.*\d,\d/s)
  expect(got.headers.get('Access-Control-Allow-Origin')).toBe('*')
  expect(got.headers.get('Last-Modified')).toMatch(/GMT$/)
  const head = await ask(path, { method: 'HEAD' })
  expect(head.headers.get('Content-Length')).toBe(String(bytes.length))
  expect(await head.text()).toBe('')
  const etag = got.headers.get('ETag') ?? ''
  const again = await ask(path, { headers: { 'If-None-Match': etag } })
  expect([again.status, await again.text()]).toEqual([304, ''])
})

it('describes its interfaces under the address at which they answer', async () => {
  const capabilities = await ask(
    'maps.three-rivers.example/wms?service=WMS&request=GetCapabilities',
  )
  expect(capabilities.headers.get('Content-Type')).toBe('application/xml')
  const text = await capabilities.text()
  expect(text).toContain('<WMS_Capabilities version="1.3.0"')
  expect(text).toContain(`xlink:href="${here}/maps.three-rivers.example/wms?"`)

  const openApi = await ask('sensors.three-rivers.example/v1.1/openapi.json')
  const { openapi, servers, paths } = (await openApi.json()) as {
    openapi: string
    servers: { url: string }[]
    paths: Record<string, unknown>
  }
  expect(openapi).toBe('3.1.0')
  for (const path of Object.keys(paths)) {
    const answer = await ask(`${servers[0]?.url}${path}`.slice(here.length + 1))
    expect([path, answer.status]).toEqual([path, 200])
  }
})

it('says of a link that fails on purpose that it does, and of an unknown one that nothing is there', async () => {
  for (const [path, status] of demoFailures) {
    const answer = await ask(path)
    expect([answer.status, await answer.text()]).toEqual([
      status,
      expect.stringContaining('fails on purpose'),
    ])
  }
  expect((await ask('daten.auenfeld.example/files/../../../package.json')).status).toBe(404)
  expect((await ask('robots.txt')).status).toBe(404)
})

it('lists the files of a dataset on its page', async () => {
  const page = await (await ask('daten.auenfeld.example/dataset/kitas.html')).text()
  for (const name of ['kitas.csv', 'kitas.geojson'])
    expect(page).toContain(`href="/daten.auenfeld.example/files/kitas/${name}"`)
})
