/** The envelope around every answer, problems too, and the tags of what holds until the next refresh. */

import { Failure } from '../../../errors.ts'
import type { AppContext } from '../../../http/app.ts'
import { isFresh } from '../../../http/conditions.ts'
import type { Figures } from '../figures.ts'

/** `count`: all rows, not only those of the page. */
export const enveloped = (results: readonly unknown[], count = results.length) => ({
  success: true as const,
  result: { count, results },
})

/** What problems say to old clients: that it was no success, and nothing came of it. */
export const noSuccess = { success: false, result: null } as const

export type Answer = (c: AppContext, make: () => object) => Response

/**
 * Answers what follows from the figures: their number is the tag, their time the date. The tag is weak, because one state may
 * be sent with and without gzip (RFC 9110 8.8.1). What is unknown has to be refused before.
 */
export function answering(figures: Pick<Figures, 'refreshed'>, version: string): Answer {
  return (c, make) => {
    const refreshed = figures.refreshed()
    const tag = `${refreshed?.number ?? 0}-${version}`
    c.header('ETag', `W/"${tag}"`)
    if (refreshed) c.header('Last-Modified', refreshed.at.toUTCString())
    return isFresh(c.req.raw.headers, tag) ? c.body(null, 304) : c.json(make())
  }
}

export function invalidParameter(parameter: string, detail: string): Failure {
  return new Failure('invalid-parameter', detail, { errors: [{ parameter, detail }] })
}
