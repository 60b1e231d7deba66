/** Who may write: a known key first, then its permission, then what is asked for. */

import { Failure } from '../../errors.ts'
import { may, type ApiKeys } from '../../http/api-key.ts'
import type { App, AppContext } from '../../http/app.ts'
import { slots } from '../../http/keys/slots.ts'
import { isId } from '../../rdf/ids.ts'
import { origin } from '../routes/parts/parameters.ts'
import { twinOfPermission } from '../resource-aliases.ts'

/**
 * Answers the id of the catalogue that the requested resource is in (`undefined` = none is named), and fails when there is no
 * such resource: that is told to any valid key. It checks the ids of the path itself.
 */
type CatalogueOf = (c: AppContext) => Promise<string | undefined>

/** Which requests need a key, and whose permission. */
type Guarded = {
  readonly methods: readonly string[]
  /** In the spelling of hono: `/catalogues/:catalogueId`. */
  readonly paths: readonly string[]
  /**
   * `catalogue` = that of the path parameter `catalogueId`; `platform` = `*` or a pattern; a function = that of the resource;
   * `later` = any known key, because the binding finds out and calls `demandPermission`.
   */
  readonly permission: 'catalogue' | 'platform' | 'later' | CatalogueOf
}

export type Guard = (guarded: Guarded) => void

/** Puts key, permission and ids before anything else that a write could be told, and lets one key write only so much at once. */
export function guards(
  app: App,
  { keys, atOnce }: { readonly keys: ApiKeys; readonly atOnce: number },
): Guard {
  const busy = slots({ atOnce, limit: 'writesPerKey' })
  return ({ methods, paths, permission }) => {
    app.on([...methods], [...paths], async (c, next) => {
      const { id } = keys.require(c)
      const parameters: Readonly<Record<string, string>> = c.req.param()
      if (typeof permission === 'function') {
        demandPermission(c, keys, await permission(c))
      } else {
        const catalogue = permission === 'catalogue' ? parameters['catalogueId'] : undefined
        if (permission !== 'later') demandPermission(c, keys, catalogue)
        for (const [name, value] of Object.entries(parameters)) demandId(name, value)
      }
      return busy.run(id, next)
    })
  }
}

/** Throws `unauthorized` or `forbidden`; `catalogue` is the one that the resource belongs to, if any. */
export function demandPermission(c: AppContext, keys: ApiKeys, catalogue?: string): void {
  const { id, permissions } = c.get('key') ?? keys.require(c)
  const key = { id, permissions: permissions.map(twinOfPermission) }
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

/** An id at the origin in the place of an id; throws `invalid-parameter`. */
export function demandOriginalId(name: string, text: string): string {
  if (origin.shape.originalId.safeParse(text).success) return text
  const detail = '1..2000 characters, no control characters'
  throw new Failure('invalid-parameter', `${name} is not an original id`, {
    errors: [{ parameter: name, detail }],
  })
}
