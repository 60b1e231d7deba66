/** The route of the profile page, and of its shapes in every format. */

import { createRoute } from '@hono/zod-openapi'
import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { answerRdf } from '../../http/rdf.ts'
import { addVary } from '../../http/headers.ts'
import { profilePage } from '../../profile/profile-page.ts'
import { toLines } from '../../rdf/lines.ts'
import { formatOfMediaType, formats, negotiate, type Format } from '../../rdf/media-types.ts'
import { parse } from '../../rdf/parse.ts'
import { contract } from './contract.ts'
import type { RouteContext } from './route-context.ts'

const { answers } = contract

const read = createRoute({
  method: 'get',
  path: '/profile',
  summary: 'The metadata profile: JSON, or its SHACL shapes as RDF',
  description: '`profile.ttl`, `profile.jsonld` and so on are the shapes whatever Accept says.',
  responses: answers.profile,
})

/** JSON comes first: it is what clients get that accept everything. */
const offered = ['application/json', ...Object.values(formats).map(({ mediaType }) => mediaType)]

/** The routes; the shapes as Turtle are the very text of the profile, the other formats are made of it. */
export function addProfileRoute({ app, profile }: RouteContext): void {
  const shapes = async (c: AppContext, format: Format) => {
    // As they were written, with their prefixes.
    if (format === 'turtle')
      return c.body(profile.shapes, 200, { 'Content-Type': 'text/turtle; charset=utf-8' })
    const quads = await parse(profile.shapes, 'turtle', { baseIri: 'urn:x-profile:' })
    return answerRdf(c, toLines(quads), { suffix: format, name: 'profile' })
  }
  app.openapi(read, async (c) => {
    const mediaType = negotiate(c.req.header('Accept'), offered)
    if (mediaType === undefined)
      throw new Failure('not-acceptable', `Accept must allow one of ${offered.join(', ')}`)
    const format = formatOfMediaType(mediaType)
    const answer = format === undefined ? c.json(profilePage(profile)) : await shapes(c, format)
    addVary(answer.headers, 'Accept')
    return answer
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are those of the record's type
  for (const format of Object.keys(formats) as Format[])
    app.get(`/profile.${formats[format].suffix}`, (c) => shapes(c, format))
}
