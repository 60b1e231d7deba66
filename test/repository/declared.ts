/** Two types as a profile may declare them, one in catalogues and one on its own, and a repository that knows them. */

import type { ResourceType } from '../../src/profile/profile.ts'
import { base, prefixes, repository, type Asked } from '../support/repository.ts'

const search = { facetSize: 50, window: 10_000, facets: [] }

const typeOf = (id: string, typeUri: string, inCatalogue: boolean): ResourceType => ({
  id,
  name: id,
  description: '',
  path: 'shapes.ttl',
  shapeUri: `https://example.org/${id}_Shape`,
  typeUri,
  inCatalogue,
  shape: {
    iri: `https://example.org/${id}_Shape`,
    targetClass: typeUri,
    name: id,
    description: '',
    fields: [],
  },
  search,
})

export const service = typeOf('data-service', 'http://www.w3.org/ns/dcat#DataService', true)
export const gauge = typeOf('gauge', 'https://example.org/Gauge', false)
export const declared = [service, gauge]

export const ex = `${prefixes}@prefix ex: <https://example.org/> . `
export const aService = (title = 'Levels') =>
  `${ex}<> a dcat:DataService ; dct:title "${title}"@en ; dcat:contactPoint [ foaf:name "Desk" ] .`
export const aGauge = (title = 'Bridge') => `${ex}<> a ex:Gauge ; dct:title "${title}" .`

export const iriOf = (type: string, id: string) => `${base}set/resource/${type}/${id}`

/** With the catalogues `alpine-water` and `other`, and what tests ask of it. */
export async function withTypes() {
  const repo = await repository({
    resources: declared,
    keys: { 'a-key-for-gauges': ['PUT /customresources/gauge/*'] },
  })
  await repo.putCatalogue('alpine-water')
  await repo.putCatalogue('other')
  const send = (method: string, path: string, body?: string, asked: Asked = {}) =>
    repo.ask(`/customresources${path}`, {
      method,
      ...(body !== undefined && { type: 'text/turtle', body }),
      ...asked,
    })
  return {
    ...repo,
    send,
    putGauge: (id: string, body = aGauge(), asked: Asked = {}) =>
      send('PUT', `/gauge/${id}`, body, asked),
    putService: (id: string, catalogue: string, body = aService(), asked: Asked = {}) =>
      send('PUT', `/data-service/${id}?catalogId=${catalogue}`, body, asked),
    read: (path: string, headers: Record<string, string> = {}) =>
      repo.ask(`/customresources${path}`, { headers }),
    lines: async (type: string, id: string) => (await repo.store.read(iriOf(type, id))) ?? '',
  }
}

export async function problem(answer: Response) {
  const { type, detail } = (await answer.json()) as { type: string; detail: string }
  return { status: answer.status, slug: type.replace('urn:cartulary:problem:', ''), detail }
}
