/** The search station: its routes bound to the engine. */

import { hash } from 'node:crypto'
import { Failure } from '../errors.ts'
import { newApp, type App, type AppContext } from '../http/app.ts'
import { isFresh } from '../http/conditions.ts'
import { docs } from '../http/docs-page.ts'
import { answerFlow, longAnswer } from '../http/shell/flow.ts'
import { addVary } from '../http/shell/headers.ts'
import { profilePage } from '../profile/page.ts'
import { negotiate } from '../rdf/media-types.ts'
import { bindCkan } from './ckan/bind.ts'
import { answerSchemas, type AnswerSchemas } from './contract/schemas.ts'
import type { SearchDeps } from './deps.ts'
import { resultText } from './envelope.ts'
import { bindFeeds } from './feeds/bind.ts'
import { catalogueIds, datasetIds } from './reads/lists.ts'
import { resource, resourceIds } from './reads/resources.ts'
import { catalogue, dataset, type StoredRecord } from './reads/records.ts'
import { concept, conceptByIri, vocabulary, vocabularyIds } from './reads/vocabularies.ts'
import { json } from './routes/answers.ts'
import { aboutRoutes } from './routes/about.ts'
import { bodySchema } from './routes/parameters.ts'
import { recordRoutes } from './routes/records.ts'
import { resourceRoutes } from './routes/resources.ts'
import { vocabularyRoutes } from './routes/vocabularies.ts'
import { bindSearching } from './searching.ts'
import { bindSitemap } from './sitemap/bind.ts'
import { taggedBy, type Tagged } from './tags.ts'

type Scene = { readonly schemas: AnswerSchemas; readonly tagged: Tagged }

/** Reads only, without keys. */
export function searchApp(deps: SearchDeps): App {
  const app = newApp({ ...deps.http, name: 'search' })
  const schemas = answerSchemas(deps.profile)
  const scene = { schemas, tagged: taggedBy(deps) }
  bindSearching(app, deps, scene)
  bindRecords(app, deps, scene)
  bindVocabularies(app, deps, scene)
  bindResources(app, deps, scene)
  bindFeeds(app, deps)
  bindSitemap(app, deps)
  bindCkan(app, deps)
  bindAbout(app, deps)
  docs(app, {
    title: 'Search',
    version: deps.version,
    description: 'Full-text search, facets and records of the catalogues.',
    schemas: { ...schemas.components, SearchBody: bodySchema() },
  })
  return app
}

function bindRecords(app: App, deps: SearchDeps, { schemas, tagged }: Scene): void {
  const { index } = deps
  const routes = recordRoutes(schemas)
  app.openapi(routes.datasets, (c) => {
    const id = required(c, 'catalogue')
    const answer = async () => c.json(await datasetIds(index, id, c.var.signal))
    return tagged(c, () => longAnswer(c, answer))
  })
  app.openapi(routes.dataset, async (c) =>
    recordAnswer(c, await dataset(index, c.req.valid('param').id, c.var.signal)),
  )
  app.openapi(routes.catalogues, (c) =>
    tagged(c, async () => c.json(await catalogueIds(index, c.var.signal))),
  )
  app.openapi(routes.catalogue, async (c) =>
    recordAnswer(c, await catalogue(index, c.req.valid('param').id, c.var.signal)),
  )
}

function bindVocabularies(app: App, deps: SearchDeps, { schemas, tagged }: Scene): void {
  const { index } = deps
  const routes = vocabularyRoutes(schemas)
  app.openapi(routes.vocabularies, (c) =>
    tagged(c, async () => c.json(await vocabularyIds(index, c.var.signal))),
  )
  app.openapi(routes.vocabulary, (c) =>
    tagged(c, () => {
      const pieces = vocabulary(index, c.req.valid('param').id, c.var.signal)
      const { log, requestMs: pieceMs = 60_000 } = deps.http
      const flow = { log, pieceMs, headers: { 'Content-Type': json } }
      return longAnswer(c, () => answerFlow(c, pieces, flow))
    }),
  )
  app.openapi(routes.vocable, async (c) => {
    const wanted = {
      ...c.req.valid('param'),
      iri: required(c, 'resource'),
      settings: deps.settings(),
    }
    return recordAnswer(c, { text: await conceptByIri(index, wanted, c.var.signal) })
  })
  app.openapi(routes.concept, async (c) =>
    recordAnswer(c, { text: await concept(index, c.req.valid('param'), c.var.signal) }),
  )
}

/** Without types of its own a profile has no such paths. */
function bindResources(app: App, { index, profile }: SearchDeps, { schemas, tagged }: Scene): void {
  const types = profile.resources
  if (!schemas.resource) return
  const routes = resourceRoutes(types, schemas.resource)
  app.openapi(routes.types, (c) =>
    tagged(c, () => Promise.resolve(c.json(types.map(({ id }) => id)))),
  )
  app.openapi(routes.resources, (c) =>
    tagged(c, () =>
      longAnswer(c, async () =>
        c.json(await resourceIds(index, types, c.req.valid('param').type, c.var.signal)),
      ),
    ),
  )
  app.openapi(routes.resource, async (c) =>
    recordAnswer(c, await resource(index, types, c.req.valid('param'), c.var.signal)),
  )
}

function bindAbout(app: App, { index, profile }: SearchDeps): void {
  const shapes = (c: AppContext) =>
    c.body(profile.shapes, 200, { 'Content-Type': 'text/turtle; charset=utf-8' })
  app.openapi(aboutRoutes.shapes, shapes)
  app.openapi(aboutRoutes.profile, (c) => {
    const wanted = negotiate(c.req.header('Accept'), ['application/json', 'text/turtle'])
    const answer = wanted === 'text/turtle' ? shapes(c) : c.json(profilePage(profile))
    addVary(answer.headers, 'Accept')
    return answer
  })
  app.openapi(aboutRoutes.health, async (c) =>
    c.json({ status: 'up', profile: profile.hash, ...(await index.health()) }),
  )
}

const queryOf = (c: AppContext): URLSearchParams => new URL(c.req.url).searchParams

function required(c: AppContext, parameter: string): string {
  const value = queryOf(c).get(parameter)?.trim()
  if (value) return value
  const detail = `the parameter ${parameter} is missing`
  throw new Failure('invalid-parameter', detail, { errors: [{ parameter, detail }] })
}

/** The tag is weak: one state may be sent with and without gzip (RFC 9110 8.8.1). */
function recordAnswer(c: AppContext, { text, modified }: StoredRecord): Response {
  const body = resultText(text)
  const tag = hash('sha256', body, 'hex').slice(0, 32)
  c.header('ETag', `W/"${tag}"`)
  if (modified) c.header('Last-Modified', modified.toUTCString())
  return isFresh(c.req.raw.headers, tag) ? c.body(null, 304) : jsonText(c, body)
}

const jsonText = (c: AppContext, text: string): Response =>
  c.body(text, 200, { 'Content-Type': json })
