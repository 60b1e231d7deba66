/** Asks the public endpoint about the store, as often as it takes: a busy machine may let a query run into its limit. */

import { client, eventually, type Gateway } from '../../support/gateway.ts'

/** The values of the one variable `?d`. */
export async function queryValues(platform: Gateway, query: string): Promise<string[]> {
  let text = ''
  const isAnswered = async () => {
    const answer = await client(platform).query(query)
    text = await answer.text()
    return answer.ok
  }
  if (!(await eventually(isAnswered, 120_000))) throw new Error(`no answer to ${query}: ${text}`)
  const { results } = JSON.parse(text) as { results: { bindings: { d: { value: string } }[] } }
  return results.bindings.map(({ d }) => d.value)
}
