/** Numbers, traces and log lines: what each adds to a request that does nothing else, in the process. */

import { newApp } from '../../src/http/app.ts'
import { metrics } from '../../src/http/metrics.ts'
import { logger } from '../../src/log.ts'
import { percentile, table, timed } from './figures.ts'

const [rounds, requests] = [15, 2000]
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

/** Asks the same app with more and more of them, in turns; the median of the rounds in µs, and as a ratio to that without any. */
export async function numbersBench(): Promise<string> {
  const app = (hasNumbers: boolean, level: 'info' | 'silent') => {
    const made = newApp({
      name: 'bench',
      log: logger(level, { write: () => undefined }, { isReadable: false }),
      ...(hasNumbers && { metrics: metrics() }),
    })
    return made.get('/things/:id', (c) => c.json({ id: c.req.param('id') }))
  }
  const [off, on, logged] = [app(false, 'silent'), app(true, 'silent'), app(true, 'info')]
  const cases = [
    // As long as a trace, so that only what is made of it differs.
    ['without numbers, trace and log line', off, { 'x-no-trace': traceparent }],
    ['with numbers', on, { 'x-no-trace': traceparent }],
    ['with numbers and a trace', on, { traceparent }],
    ['with numbers, a trace and a log line', logged, { traceparent }],
  ] as const
  const micros = cases.map(() => [] as number[])
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, [, asked, headers]] of cases.entries()) {
      const ms = await timed(async () => {
        for (let n = 0; n < requests; n += 1)
          await (await asked.request('/things/one', { headers })).text()
      })
      micros[at]?.push((ms / requests) * 1000)
    }
  }
  const medians = micros.map((values) => Number(percentile(values, 0.5)))
  const rows = cases.map(([name], at) => {
    const median = medians[at] ?? Number.NaN
    return [name, median.toFixed(1), (median / (medians[0] ?? Number.NaN)).toFixed(2)]
  })
  return table([['request in the process', 'µs', 'ratio'], ...rows])
}
