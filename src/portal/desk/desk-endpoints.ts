/** Endpoints of the desk, the pages on which people describe, check and publish records. */

import type { Endpoint } from '../../http/endpoint.ts'
import type { PortalServices } from '../portal-services.ts'
import { catalogueDeskEndpoints } from './catalogue-endpoints.ts'
import { checkEndpoints } from './check-endpoints.ts'
import { deskPageEndpoints } from './desk-page-endpoints.ts'
import { formEndpoints } from './form-endpoints.ts'
import { historyEndpoints } from './history-endpoints.ts'
import { mergeEndpoints } from './merge-endpoints.ts'
import { peopleEndpoints } from './people-endpoints.ts'
import { previewEndpoints } from './preview-endpoints.ts'
import { keepingTyped } from './unsaved.ts'

/**
 * Endpoints of the desk. Forms come last: their sections take every step that no other page has. No form loses what was typed.
 */
export const deskEndpoints: readonly Endpoint<PortalServices>[] = [
  ...deskPageEndpoints,
  ...catalogueDeskEndpoints,
  ...checkEndpoints,
  ...mergeEndpoints,
  ...previewEndpoints,
  ...historyEndpoints,
  ...peopleEndpoints,
  ...formEndpoints,
].map(keepingTyped)
