/** HTTP service of search: read-only, and without keys but for previews of what is not published. */

import { z } from '@hono/zod-openapi'
import { type App, type AppContext, newApp } from '../http/app.ts'
import { mountContract } from '../http/docs-page.ts'
import { anyone, type Endpoint, mount } from '../http/endpoint.ts'
import { addVary } from '../http/headers.ts'
import { profilePage } from '../profile/profile-page.ts'
import type { Profile } from '../profile/profile.ts'
import { negotiate } from '../rdf/media-types.ts'
import { type AnswerSchemas, answerSchemas } from './answer-schemas.ts'
import { ckanEndpoints } from './ckan/ckan.ts'
import { feedEndpoints } from './feeds/feeds.ts'
import { openSitemap, sitemapEndpoints } from './feeds/sitemap.ts'
import { findingsEndpoints, previewEndpoint } from './record-findings.ts'
import { catalogueEndpoints, datasetEndpoints, resourceEndpoints } from './record-routes.ts'
import {
  bodySchema,
  entityTagger,
  jsonAnswers,
  jsonType,
  searchEndpoint,
} from './search-answers.ts'
import { answerCache, queryEndpoints } from './search-routes.ts'
import type { SearchAppContext, SearchServiceContext } from './search-service-context.ts'
import { similarFinder } from './similar.ts'
import { vocabularyEndpoints } from './vocabulary-routes.ts'

const turtle = { 'text/turtle': { schema: z.string() } }

const shapesAnswer = (c: AppContext, { shapes }: Profile): Response =>
  c.body(shapes, 200, { 'Content-Type': 'text/turtle; charset=utf-8' })

const readShapes = searchEndpoint({
  method: 'get',
  path: '/profile.ttl',
  operation: 'getProfileTtl',
  summary: 'The shapes of the active profile',
  auth: anyone,
  answers: { 200: { description: 'SHACL shapes', content: turtle } },
  handle: ({ c }, { profile }) => shapesAnswer(c, profile),
})

const readProfile = searchEndpoint({
  method: 'get',
  path: '/profile',
  operation: 'getProfile',
  summary: 'The active profile',
  auth: anyone,
  answers: {
    200: {
      description: 'The profile; its shapes for clients that prefer Turtle',
      content: { [jsonType]: { schema: z.looseObject({}) }, ...turtle },
    },
  },
  handle: ({ c }, { profile }) => {
    const mediaType = negotiate(c.req.header('Accept'), ['application/json', 'text/turtle'])
    const answer =
      mediaType === 'text/turtle' ? shapesAnswer(c, profile) : c.json(profilePage(profile))
    addVary(answer.headers, 'Accept')
    return answer
  },
})

const readHealth = searchEndpoint({
  method: 'get',
  path: '/health',
  operation: 'getHealth',
  summary:
    'Whether the search engine answers, the hash of the profile, and how many documents there are',
  auth: anyone,
  answers: jsonAnswers(
    'State',
    z.object({
      status: z.string(),
      profile: z.string(),
      documents: z.record(z.string(), z.int()),
    }),
  ),
  handle: async (_, { index, profile }) => ({
    status: 'up',
    profile: profile.hash,
    ...(await index.health()),
  }),
})

/** All endpoints of the search service. `schemas` are the result of `answerSchemas`. */
export const searchEndpoints = (
  { resources }: Profile,
  schemas: AnswerSchemas,
): readonly Endpoint<SearchServiceContext>[] => [
  ...queryEndpoints(schemas),
  ...datasetEndpoints(schemas),
  ...catalogueEndpoints(schemas),
  ...resourceEndpoints(resources, schemas.resource),
  ...findingsEndpoints(resources),
  previewEndpoint,
  ...vocabularyEndpoints(schemas),
  ...feedEndpoints,
  ...sitemapEndpoints,
  ...ckanEndpoints,
  readShapes,
  readProfile,
  readHealth,
]

/** Creates the app. All endpoints but that of previews are public. */
export function searchApp(context: SearchAppContext): App {
  const { http, index, profile, version, sitemap = openSitemap(context) } = context
  const app = newApp({ ...http, name: 'search' })
  const schemas = answerSchemas(profile)
  const services = {
    ...context,
    sitemap,
    similarTo: similarFinder(index),
    withEntityTag: entityTagger(context),
    cachedAnswer: answerCache(),
  }
  mount(app, searchEndpoints(profile, schemas), services, { keys: context.keys })
  mountContract(app, {
    title: 'Search',
    version,
    description: 'Full-text search, facets and records of the catalogues.',
    schemas: { ...schemas.components, SearchBody: bodySchema() },
  })
  return app
}
