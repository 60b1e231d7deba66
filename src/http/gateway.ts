/** Several stations behind one address. */

import { Failure } from '../errors.ts'
import { problemOf } from './problem.ts'
import type { AppEnv } from './shell/context.ts'
import { pathOf } from './shell/context.ts'

/** What `serve` needs and every app is. */
export type Door = {
  fetch(request: Request, env?: AppEnv['Bindings']): Response | Promise<Response>
}

/** An app and the path in front of its routes: the `base` that it was made with, `''` for the root. */
export type Entrance = { readonly base: string; readonly app: Door }

/**
 * Sends each request to the app with the longest base that its path starts with; 404 where none fits. Apps get the
 * request as it is and cut off their base themselves.
 */
export function gateway(entrances: readonly Entrance[]): Door {
  const ordered = entrances.toSorted((a, b) => b.base.length - a.base.length)
  return {
    fetch: (request, env) => {
      const path = pathOf(request.url)
      const entrance = ordered.find(({ base }) => leadsTo(base, path))
      return entrance ? entrance.app.fetch(request, env) : nothing(path)
    },
  }
}

const leadsTo = (base: string, path: string): boolean =>
  path.startsWith(base) && (base.length === path.length || path[base.length] === '/')

function nothing(path: string): Response {
  const failure = new Failure('not-found', `there is nothing at ${path}`)
  const { status, body, headers } = problemOf(failure, path)
  return new Response(JSON.stringify(body), { status, headers })
}
