/** Binds the profile page. */

import { addVary } from '../../http/shell/headers.ts'
import { profilePage } from '../../profile/page.ts'
import { negotiate } from '../../rdf/media-types.ts'
import type { Bound } from '../bound.ts'
import { routes } from '../routes.ts'

export function bindProfile({ app, profile }: Bound): void {
  app.openapi(routes.profile, (c) => {
    const wanted = negotiate(c.req.header('Accept'), ['application/json', 'text/turtle'])
    const answer =
      wanted === 'text/turtle'
        ? c.body(profile.shapes, 200, { 'Content-Type': 'text/turtle; charset=utf-8' })
        : c.json(profilePage(profile))
    addVary(answer.headers, 'Accept')
    return answer
  })
}
