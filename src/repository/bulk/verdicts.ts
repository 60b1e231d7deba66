/** What became of the datasets of a bulk request, in the words of the single PUT. */

import { Failure } from '../../errors.ts'
import { problemOf, type ProblemAnswer } from '../../http/problem.ts'
import type { Log } from '../../log.ts'
import type { Outcome } from '../deps.ts'

/** `status` is what the single PUT would have answered; from 400 up with the problem. */
export type Verdict = {
  readonly originalId?: string
  readonly id?: string
  readonly status: number
  readonly problem?: ProblemAnswer['body']
}

type Named = { readonly originalId?: string }

const statuses = { created: 201, updated: 204, unchanged: 304 } as const

/** Gathers verdicts about things; the first one about a thing counts. */
export class Verdicts {
  readonly #known = new Map<Named, Verdict>()
  readonly #told: { readonly log: Log; readonly instance: string }

  /** `instance` is the path of the request. */
  constructor(told: { readonly log: Log; readonly instance: string }) {
    this.#told = told
  }

  done(one: Named, id: string, kind: Outcome['kind']): void {
    this.#say(one, { id, status: statuses[kind] })
  }

  fail(one: Named, error: unknown): void {
    if (this.#known.has(one)) return
    const { log, instance } = this.#told
    if (!(error instanceof Failure)) log.error({ err: error }, 'bulk.failed')
    const { status, body } = problemOf(error, instance)
    this.#say(one, { status, problem: body })
  }

  /** An error when nothing was said about it: that is a mistake of ours. */
  of(one: Named): Verdict {
    const verdict = this.#known.get(one)
    if (!verdict) throw new Error('a dataset of a bulk request was forgotten')
    return verdict
  }

  #say(one: Named, verdict: Omit<Verdict, 'originalId'>): void {
    const { originalId } = one
    if (this.#known.has(one)) return
    this.#known.set(one, { ...(originalId !== undefined && { originalId }), ...verdict })
  }
}
