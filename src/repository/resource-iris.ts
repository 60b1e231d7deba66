/** Resource IRIs lead to their descriptions (303, Cool URIs for the Semantic Web). */

import type { App } from '../http/app.ts'
import type { Names, ResourceKind } from '../rdf/names.ts'
import { splitSuffix } from '../rdf/media-types.ts'

/** Where the repository describes each kind of resource. */
const described: readonly (readonly [ResourceKind, string])[] = [
  ['dataset', '/datasets/'],
  ['record', '/datasets/'],
  ['catalogue', '/catalogues/'],
  ['vocabulary', '/vocabularies/'],
]

/** Answers resource IRIs under the base of `names`; `repository` is the public address of the repository service. */
export function leadToDescriptions(app: App, names: Names, repository: string): void {
  const root = new URL(names.base).pathname
  app.get('*', async (c, next) => {
    const path = new URL(c.req.url).pathname
    const { id: bare, format } = splitSuffix(names.base + path.slice(root.length))
    for (const [kind, place] of described) {
      const id = names.idOf(kind, bare)
      if (id === undefined) continue
      const suffix = format === undefined ? '' : path.slice(path.lastIndexOf('.'))
      return c.redirect(`${repository}${place}${id}${suffix}`, 303)
    }
    return next()
  })
}
