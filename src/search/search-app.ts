/** The search station: its routes bound to the engine. */

import { bindRecordReads } from './record-routes.ts'
import { bindVocabularyReads } from './vocabulary-routes.ts'
import { type RouteConfig, z } from '@hono/zod-openapi'
import { type App, type AppContext, newApp } from '../http/app.ts'
import { problem } from '../http/problem.ts'
import { docs } from '../http/docs-page.ts'
import { addVary } from '../http/headers.ts'
import { profilePage } from '../profile/profile-page.ts'
import { negotiate } from '../rdf/media-types.ts'
import { answerSchemas } from './answer-schemas.ts'
import { bindCkan } from './ckan/ckan.ts'
import { bindFeeds } from './feeds/feeds.ts'
import { bindFindings, type FindingsDeps } from './record-findings.ts'
import { bindSitemap } from './feeds/sitemap.ts'
import { bodySchema, getRoute, jsonType, searchResponses, taggedBy } from './search-answers.ts'
import type { SearchDeps } from './search-deps.ts'
import { bindSearching } from './search-routes.ts'

/** Reads only, without keys. */
export function searchApp(deps: SearchDeps & FindingsDeps): App {
  const app = newApp({ ...deps.http, name: 'search' })
  const schemas = answerSchemas(deps.profile)
  const scene = { schemas, tagged: taggedBy(deps) }
  bindSearching(app, deps, scene)
  bindRecordReads(app, deps, scene)
  bindFindings(app, { ...deps, ...scene })
  bindVocabularyReads(app, deps, scene)
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

/** What the service says about itself. */
function bindAbout(app: App, { index, profile }: SearchDeps): void {
  const turtle = { 'text/turtle': { schema: z.string() } }
  const shapes = (c: AppContext) =>
    c.body(profile.shapes, 200, { 'Content-Type': 'text/turtle; charset=utf-8' })
  const shapesAnswers: RouteConfig['responses'] = {
    200: { description: 'SHACL shapes', content: turtle },
    default: problem(),
  }
  const ofProfile = { responses: shapesAnswers }
  app.openapi(getRoute('/profile.ttl', 'The shapes of the active profile', ofProfile), shapes)
  const profileAnswers: RouteConfig['responses'] = {
    200: {
      description: 'The profile; its shapes for clients that prefer Turtle',
      content: { [jsonType]: { schema: z.looseObject({}) }, ...turtle },
    },
    default: problem(),
  }
  app.openapi(getRoute('/profile', 'The active profile', { responses: profileAnswers }), (c) => {
    const wanted = negotiate(c.req.header('Accept'), ['application/json', 'text/turtle'])
    const answer = wanted === 'text/turtle' ? shapes(c) : c.json(profilePage(profile))
    addVary(answer.headers, 'Accept')
    return answer
  })
  const counts = z.record(z.string(), z.int())
  const state = z.object({ status: z.string(), profile: z.string(), documents: counts })
  const what =
    'Whether the search engine answers, the hash of the profile, and how many documents there are'
  const health = getRoute('/health', what, { responses: searchResponses('State', state) })
  app.openapi(health, async (c) =>
    c.json({ status: 'up', profile: profile.hash, ...(await index.health()) }),
  )
}
