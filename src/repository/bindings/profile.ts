/** Binds the profile page, and its shapes in every format. */

import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { answerRdf } from '../../http/rdf.ts'
import { addVary } from '../../http/shell/headers.ts'
import { profilePage } from '../../profile/page.ts'
import { toLines } from '../../rdf/lines.ts'
import { formatOfMediaType, formats, negotiate, type Format } from '../../rdf/media-types.ts'
import { parse } from '../../rdf/parse.ts'
import type { Bound } from '../bound.ts'
import { routes } from '../routes.ts'

/** JSON comes first: it is what clients get that accept everything. */
const offered = ['application/json', ...Object.values(formats).map(({ mediaType }) => mediaType)]

export function bindProfile({ app, profile }: Bound): void {
  const shapes = async (c: AppContext, suffix?: Format) => {
    const wanted = suffix ?? 'turtle'
    // As they were written, with their prefixes.
    if (wanted === 'turtle')
      return c.body(profile.shapes, 200, { 'Content-Type': 'text/turtle; charset=utf-8' })
    const quads = await parse(profile.shapes, 'turtle', { baseIri: 'urn:x-profile:' })
    return answerRdf(c, toLines(quads), { suffix: wanted, name: 'profile' })
  }
  app.openapi(routes.profile, async (c) => {
    const wanted = negotiate(c.req.header('Accept'), offered)
    if (wanted === undefined)
      throw new Failure('not-acceptable', `Accept must allow one of ${offered.join(', ')}`)
    const format = formatOfMediaType(wanted)
    const answer = format === undefined ? c.json(profilePage(profile)) : await shapes(c, format)
    addVary(answer.headers, 'Accept')
    return answer
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are those of the record's type
  for (const format of Object.keys(formats) as Format[]) {
    app.get(`/profile.${formats[format].suffix}`, (c) => shapes(c, format))
  }
}
