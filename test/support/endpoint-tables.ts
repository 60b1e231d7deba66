/** The endpoint tables of all services, with the paths that they are mounted at. */

import { consoleEndpoints } from '../../src/console/console-app.ts'
import { contractEndpoints } from '../../src/http/docs-page.ts'
import type { Endpoint } from '../../src/http/endpoint.ts'
import { rootEndpoints } from '../../src/http/root.ts'
import { furtherPaths, servicePaths } from '../../src/main/platform-context.ts'
import { cacheEndpoints } from '../../src/metrics/figures/cache-app.ts'
import { reportEndpoints } from '../../src/metrics/reports/report-app.ts'
import { validationEndpoints } from '../../src/metrics/validate/validation-app.ts'
import { segmentEndpoints } from '../../src/pipe/transport/segments-app.ts'
import { checkEndpoint } from '../../src/portal/check-endpoint.ts'
import { deskEndpoints } from '../../src/portal/desk/desk-endpoints.ts'
import { pageEndpoints, showPreview } from '../../src/portal/page-endpoints.ts'
import { portalEndpoints } from '../../src/portal/portal-app.ts'
import { providerEndpoints, signInEndpoints } from '../../src/portal/sign-in-endpoints.ts'
import { stewardEndpoints } from '../../src/portal/steward-endpoints.ts'
import type { Profile } from '../../src/profile/profile.ts'
import { repositoryEndpoints } from '../../src/repository/repository.ts'
import { sparqlEndpoints } from '../../src/repository/sparql-app.ts'
import { schedulerEndpoints } from '../../src/scheduler/scheduler-app.ts'
import { answerSchemas } from '../../src/search/answer-schemas.ts'
import { searchEndpoints } from '../../src/search/search-app.ts'

export type Table = {
  readonly service: string
  /** The file that mounts it. */
  readonly file: string
  /** In front of the paths of the table. */
  readonly base: string
  readonly endpoints: readonly Endpoint<never>[]
}

/** Handlers are not called, so that what they would need need not be there. */
const absent = {} as never

/** All tables of a platform with a profile. */
export function endpointTables(profile: Profile): readonly Table[] {
  const { repo, search, sparql, harvest, scheduler, metrics, console } = servicePaths
  const { shapes, reports } = furtherPaths
  const table = (
    service: string,
    file: string,
    base: string,
    ...endpoints: readonly Endpoint<never>[]
  ) => ({ service, file, base, endpoints })
  return [
    table('repository', 'repository/repository.ts', repo, ...repositoryEndpoints(profile)),
    table(
      'search',
      'search/search-app.ts',
      search,
      ...searchEndpoints(profile, answerSchemas(profile)),
    ),
    table('sparql', 'repository/sparql-app.ts', sparql, ...sparqlEndpoints),
    table(
      'segments',
      'pipe/transport/segments-app.ts',
      harvest,
      ...segmentEndpoints(['exporting-hub']),
    ),
    table('scheduler', 'scheduler/scheduler-app.ts', scheduler, ...schedulerEndpoints),
    table('metrics', 'metrics/figures/cache-app.ts', metrics, ...cacheEndpoints),
    table('reports', 'metrics/reports/report-app.ts', reports, ...reportEndpoints),
    table('validation', 'metrics/validate/validation-app.ts', shapes, ...validationEndpoints),
    table('console', 'console/console-app.ts', console, ...consoleEndpoints),
    table('contract', 'http/docs-page.ts', repo, ...contractEndpoints()),
    table('root', 'http/root.ts', '', ...rootEndpoints),
    table(
      'portal',
      'portal/portal-app.ts',
      '',
      ...portalEndpoints,
      showPreview,
      checkEndpoint(),
      ...signInEndpoints(absent),
      ...stewardEndpoints(absent),
      ...deskEndpoints,
    ),
    table('embedded pages', 'portal/portal-app.ts', '', ...pageEndpoints('/embed')),
    table('provider', 'portal/portal-app.ts', '', ...providerEndpoints(absent, absent)),
  ]
}
