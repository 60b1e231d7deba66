/** Where words are looked for and how much each field counts: `fields` and `boost.<field>`. */

import { Failure } from '../../errors.ts'
import type { Parameters } from './parameters.ts'

export type Weights = {
  /** Field names as the client wrote them, without weights; absent = all. */
  readonly fields?: readonly string[]
  readonly boosts: Readonly<Record<string, number>>
}

const weight = /^\d+(?:\.\d+)?$|^\.\d+$/

/** `title^2.5` limits and weighs at once; `boost.title` wins over it. Throws `invalid-parameter`. */
export function weightsOf({ fields, boosts }: Pick<Parameters, 'fields' | 'boosts'>): Weights {
  const parts = (fields ?? []).map((entry) => {
    const [name = '', value] = entry.split('^', 2)
    if (value !== undefined && !weight.test(value)) {
      const detail = `the weight of ${name} in fields must be a number of at least 0`
      throw new Failure('invalid-parameter', detail, { errors: [{ parameter: 'fields', detail }] })
    }
    return { name: name.trim(), value }
  })
  const own = parts.flatMap(({ name, value }) =>
    value === undefined ? [] : [[name, Number(value)]],
  )
  return {
    ...(fields && { fields: parts.map(({ name }) => name) }),
    boosts: { ...Object.fromEntries(own), ...boosts },
  }
}
