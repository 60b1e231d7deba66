/** What every request carries besides itself. */

import type { HttpBindings } from '@hono/node-server'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { Deadline } from './deadline.ts'
import type { LongAnswers } from './long-answers.ts'
import type { Key } from '../keys/permission.ts'

export type AppEnv = {
  /** Node's request and response; absent when the request came without a socket. */
  Bindings: Partial<HttpBindings>
  Variables: {
    /** Aborts when the client leaves or the time limit is reached; hand it to everything that waits. */
    signal: AbortSignal
    deadline: Deadline
    requestId: string
    /** Address of the client (behind trusted proxies: the one they name), or `in-process`. */
    client: string
    /** Address that the client reaches the platform by, `/` at its end. */
    root: string
    /** The same of the service, without a slash at its end. */
    address: string
    /** The request changes something although it is a GET. */
    changes?: boolean
    longAnswers: LongAnswers
    /** Set by `ApiKeys.require` and `ApiKeys.find`. */
    key?: Key
  }
}

/** Routes are relative to the `base` of the app; `c.req.path` and OpenAPI paths too. */
export type App = OpenAPIHono<AppEnv>

export type AppContext = Context<AppEnv>

/** Path of the request as it was sent, without query: the `instance` of a problem. */
export function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  if (start < 0) return '/'
  const end = url.slice(start).search(/[?#]/)
  return end < 0 ? url.slice(start) : url.slice(start, start + end)
}
