/** The dataset that a request is about, looked up once: its catalogue decides on permission before anything else is told. */

import type { AppContext } from '../../http/app.ts'
import type { RepositoryDeps } from '../deps.ts'
import { unknownDistribution, type Distributions } from '../distributions/distributions.ts'
import { findById, type Located } from '../writing/find-dataset.ts'
import { demandId } from './guard.ts'

type LocatedDistribution = { readonly id: string; readonly dataset: Located }

export type Locate = {
  /** The dataset of the path parameter `datasetId`; fails with `unknown-dataset` or `invalid-parameter`. */
  dataset(c: AppContext): Promise<Located>
  /** The distribution of the path parameter `distributionId`; fails with `unknown-distribution` or `invalid-parameter`. */
  distribution(c: AppContext): Promise<LocatedDistribution>
}

type LocateDeps = Pick<RepositoryDeps, 'store' | 'names'> & {
  readonly distributions: Pick<Distributions, 'datasetsOf'>
}

/** Guard and binding ask the same of one request; the second answer is the first one again. */
export function locate({ store, names, distributions }: LocateDeps): Locate {
  const parameter = (c: AppContext, name: string) => demandId(name, c.req.param(name) ?? '')

  const dataset = async (c: AppContext) =>
    findById(store, names, parameter(c, 'datasetId'), c.get('signal'))

  const distribution = async (c: AppContext) => {
    const id = parameter(c, 'distributionId')
    const [first] = await distributions.datasetsOf(id, c.get('signal'))
    if (first === undefined) throw unknownDistribution(id)
    return { id, dataset: await findById(store, names, first, c.get('signal')) }
  }

  return { dataset: once(dataset), distribution: once(distribution) }
}

function once<T>(ask: (c: AppContext) => Promise<T>): (c: AppContext) => Promise<T> {
  const asked = new WeakMap<AppContext, Promise<T>>()
  return (c) => {
    const known = asked.get(c) ?? ask(c)
    asked.set(c, known)
    return known
  }
}
