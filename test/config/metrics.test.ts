/** How quality is measured, as the environment says it. */

import { expect, it } from 'vitest'
import { defaultMetrics } from '../../src/config/metrics.ts'
import { configOf, problemsOf } from '../support/settings.ts'

it('what is set counts, and says what of it is wrong', () => {
  const { services, validator, metrics } = configOf({
    PLATFORM_SERVICES: 'cache,repo,metrics',
    PLATFORM_HUB_VALIDATOR: '{"enabled":"true","other":1}',
    PLATFORM_METRICS_CONFIG: '{"workers":3,"shapeModels":{"city":["a.ttl"]},"urlChecks":false}',
  })
  expect(services).toEqual(['metrics', 'repo'])
  expect(validator).toMatchObject({ enabled: true, metricsPipeName: 'metrics' })
  expect(metrics).toEqual({
    ...defaultMetrics,
    workers: 3,
    shapeModels: { city: ['a.ttl'] },
    urlChecks: false,
  })
  const wrong = problemsOf({
    PLATFORM_METRICS_CONFIG: '{"budget":-1,"shapeModels":{"a":[]},"refresh":5}',
  })
  const listed = (allow: unknown) =>
    problemsOf({ PLATFORM_METRICS_CONFIG: JSON.stringify({ allow }) })
  expect(listed(['data.intranet.example', '10.20.0.0/16', 'fd00::/8', '::1'])).toBe('no problem')
  expect(listed(['http://data.example/'])).toContain('must be a host name, an address or a range')
  expect(listed(['10.20.0.0/33'])).toContain('must be a host name, an address or a range')
  expect(problemsOf({ PLATFORM_METRICS_CONFIG: '{"worker":1}' })).toContain(
    'worker is no setting (did you mean workers?)',
  )
  for (const place of ['budget', 'shapeModels', 'refresh']) expect(wrong).toContain(place)
})
