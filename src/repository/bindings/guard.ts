/** Who may write: a known key first, then its permission, then what is asked for. */

import { Failure } from '../../errors.ts'
import { may, type ApiKeys } from '../../http/api-key.ts'
import type { AppContext } from '../../http/app.ts'
import { isId } from '../../rdf/ids.ts'

/** Throws `unauthorized` or `forbidden`; `catalogue` is the one that the resource belongs to, if any. */
export function demandPermission(c: AppContext, keys: ApiKeys, catalogue?: string): void {
  const key = c.get('key') ?? keys.require(c)
  if (may(key, { method: c.req.method, path: c.req.path, catalogue })) return
  throw new Failure('forbidden', 'the key has no permission for this')
}

/** An id of the path; throws `invalid-parameter`. */
export function demandId(name: string, id: string): string {
  if (isId(id)) return id
  const detail = '1..255 characters of A-Z, a-z, 0-9, "_", "~" and "-"'
  throw new Failure('invalid-parameter', `${name} is not an id`, {
    errors: [{ parameter: name, detail }],
  })
}
