/** A draft on a running platform: it is validated and scored, and nothing finds it before it is published. */

import { afterAll, beforeAll, expect, it } from 'vitest'
import { gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'

let directory: string
let platform: Gateway
beforeAll(async () => {
  directory = await temporaryDirectory()
  const keys = { all: ['*'], pub: ['publisher:water'] }
  platform = await gateway(directory, { PLATFORM_HUB_API_KEYS: JSON.stringify(keys) })
}, 60_000)
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

const ask = async (key: string, method: string, path: string, body?: string) => {
  const headers = { 'X-API-Key': key, 'Content-Type': 'text/turtle', Accept: 'application/json' }
  const answer = await fetch(platform.url + path, {
    method,
    headers,
    ...(body !== undefined && { body }),
  })
  return { status: answer.status, text: await answer.text() }
}
const repo = '/api/hub/repo'
const token = 'quokkatoken'

it('is validated and scored, found by nobody, and published by a steward', async () => {
  await ask(
    'all',
    'PUT',
    `${repo}/catalogues/water`,
    `${prefixes}<> a dcat:Catalog ; dct:title "Water" .`,
  )
  const body = `${prefixes}<> a dcat:Dataset ; dct:title "${token}"@en ; dct:description "Text"@en ; dcat:keyword "lake"@en .`
  expect((await ask('pub', 'POST', `${repo}/drafts/datasets?catalogue=water`, body)).status).toBe(
    201,
  )
  const findings = await ask('pub', 'GET', `${repo}/drafts/datasets/${token}/findings`)
  expect(JSON.parse(findings.text)).toMatchObject({ score: expect.any(Number) })
  expect((JSON.parse(findings.text) as { score: number }).score).toBeGreaterThan(0)
  const query = encodeURIComponent(
    `ASK { GRAPH ?g { ?s ?p ?o } FILTER(CONTAINS(STR(?o), "${token}")) }`,
  )
  const places = [
    `/api/hub/search/search?q=${token}`,
    `${repo}/datasets?limit=5000`,
    `${repo}/catalogues/water/dump.ttl`,
    '/api/hub/search/en/feeds/datasets.atom',
    '/metrics',
  ]
  for (const place of places) {
    const answer = await ask('all', 'GET', place)
    expect([place, answer.text.replace(`q=${token}`, '').includes(`${token}"`)]).toEqual([
      place,
      false,
    ])
  }
  const asked = await ask('all', 'GET', `/sparql?query=${query}`)
  expect(asked.text).toContain('false')
  expect((await ask('pub', 'PUT', `${repo}/drafts/datasets/publish/${token}`)).status).toBe(403)
  expect((await ask('all', 'PUT', `${repo}/drafts/datasets/publish/${token}`)).status).toBe(201)
  expect((await ask('all', 'GET', `/api/hub/search/search?q=${token}`)).text).toContain(
    `"${token}"`,
  )
})
