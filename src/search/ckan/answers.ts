/** Answers of CKAN's action API: one envelope for what went well, one for what did not. */

import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { problemOf } from '../../http/problem.ts'
import type { Log } from '../../log.ts'
import { json } from '../routes/answers.ts'

/** Around the pieces of a result. The first piece comes before anything, so that its failure can still be told. */
export async function* enveloped(
  help: string,
  result: AsyncGenerator<string>,
): AsyncGenerator<string> {
  try {
    const first = await result.next()
    yield `{"help":${JSON.stringify(help)},"success":true,"result":${first.value ?? ''}`
    yield* result
    yield '}'
  } finally {
    await result.return(undefined)
  }
}

/**
 * The clients of CKAN read this form and no problem documents: 409 for what is wrong with a call, 404 for what is not there;
 * everything else keeps its status. Throws what is no `Failure`.
 */
export function refused(c: AppContext, error: unknown, log: Log): Response {
  if (!(error instanceof Failure)) throw error
  const problem = problemOf(error, c.req.path)
  if (problem.status >= 500) log.warn({ err: error, requestId: c.get('requestId') }, 'ckan.refused')
  const status = problem.status === 400 ? 409 : problem.status
  const body = {
    success: false,
    error: { __type: typeOf(status), message: problem.body.detail ?? problem.body.title },
  }
  return c.body(JSON.stringify(body), status, { ...problem.headers, 'Content-Type': json })
}

function typeOf(status: number): string {
  if (status === 409) return 'Validation Error'
  return status === 404 ? 'Not Found Error' : 'Search Error'
}
