/** Refuses writing requests while the storage is lost. */

import { Failure } from '../errors.ts'
import { type MountedApp, problemResponse } from '../http/app.ts'
import { pathOf } from '../http/context.ts'
import { ckanMounts } from '../search/ckan/ckan-calls.ts'
import { furtherPaths, servicePaths } from './platform-context.ts'
import type { Storage } from './storage.ts'

/** Paths of services that write nothing, whatever the method. */
const readers: readonly string[] = [
  servicePaths.search,
  ...ckanMounts,
  servicePaths.sparql,
  furtherPaths.shapes,
]

/** Wraps a service so that it answers 503 to writing requests while the storage is lost. */
export function refusingLost({ base, app }: MountedApp, { demand }: Storage): MountedApp {
  if (readers.includes(base)) return { base, app }
  const fetch: MountedApp['app']['fetch'] = (request, env) => {
    try {
      if (!['GET', 'HEAD', 'OPTIONS'].includes(request.method)) demand()
    } catch (error) {
      if (error instanceof Failure) return problemResponse(error, pathOf(request.url))
      throw error
    }
    return app.fetch(request, env)
  }
  return { base, app: { fetch } }
}
