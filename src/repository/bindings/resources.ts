/** Tells of the aliases in the contract; the shell leads requests to the routes that they are aliases of. */

import type { App } from '../../http/app.ts'
import { aliases } from '../routes/resources.ts'
import { routes } from '../routes.ts'

export function documentAliases(app: App): void {
  for (const route of aliases(Object.values(routes))) app.openAPIRegistry.registerPath(route)
}
