/** A failure as a run keeps it. */

import { Failure } from '../../errors.ts'
import { problemOf } from '../../http/problem.ts'
import type { StoredProblem } from './run.ts'

/** RFC 9457 without `instance`; anything that is not a `Failure` is a bare `internal`, its message belongs to the log. */
export function storedProblem(error: unknown): StoredProblem {
  const { title, status, detail, errors } = problemOf(error, '').body
  return {
    type: `urn:cartulary:problem:${error instanceof Failure ? error.kind : 'internal'}`,
    title,
    status,
    ...(detail !== undefined && { detail }),
    ...(errors !== undefined && { errors }),
  }
}

/** The last part of the type of a problem. */
export const slugOf = ({ type }: { readonly type: string }): string =>
  type.slice(type.lastIndexOf(':') + 1)
