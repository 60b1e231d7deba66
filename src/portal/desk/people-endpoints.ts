/** Endpoints of people and keys: for administrators, for oneself, and for invitations. */

import { Failure } from '../../errors.ts'
import { anyone, type Endpoint, pageEndpoint } from '../../http/endpoint.ts'
import { readForm } from '../../http/form.ts'
import type { PageContext } from '../context.ts'
import type { PortalServices } from '../portal-services.ts'
import { deskGet, deskPost } from './desk-routes.ts'
import {
  type Acceptance,
  changePeople,
  invitationPage,
  ownPage,
  peoplePage,
  renewKey,
} from './people-page.ts'

const tag = 'desk'

const accept = async ({ ask }: PageContext, token: string): Promise<Acceptance> => {
  const headers = { 'Content-Type': 'application/json' }
  try {
    return {
      made: await ask('repository', '/invitations', {
        method: 'POST',
        headers,
        body: JSON.stringify({ token }),
      }),
    }
  } catch (error) {
    const kind = error instanceof Failure ? error.kind : undefined
    if (kind === 'too-many-requests') return { refusal: 'error-429', status: 429 }
    if (kind === 'unknown-resource') return { refusal: 'invitation-gone', status: 404 }
    throw error
  }
}

const invitation = [
  pageEndpoint<PortalServices>({
    path: '/:language/invitation/:token',
    operation: 'invitationPage',
    tag,
    summary: 'An invitation, before it is accepted',
    auth: anyone,
    page: (c, { respond }) =>
      respond(c, async (context) => invitationPage(context, c.req.param('token') ?? '')),
  }),
  pageEndpoint<PortalServices>({
    method: 'post',
    path: '/:language/invitation/:token',
    operation: 'acceptInvitation',
    tag,
    summary: 'Accept an invitation, and see the key once',
    auth: anyone,
    page: async (c, { contextOf, respond }) => {
      const token = c.req.param('token') ?? ''
      const acceptance = await accept(await contextOf(c), token)
      const make = async (context: PageContext) => invitationPage(context, token, acceptance)
      return respond(c, make, acceptance.status)
    },
  }),
]

/** All endpoints of people and keys. */
export const peopleEndpoints: readonly Endpoint<PortalServices>[] = [
  deskGet('/people', 'peoplePage', 'The people and programs, for administrators', (context) =>
    peoplePage(context),
  ),
  deskPost('/people', 'changePeople', 'Invite, change or revoke', async ({ c, show }) => {
    const field = await readForm(c)
    return show(async (context) => peoplePage(context, await changePeople(context, field)))
  }),
  deskGet('/me', 'ownPage', 'The own key', (context) => ownPage(context)),
  deskPost('/me', 'renewKey', 'Make a new key for oneself', async ({ show }) =>
    show(async (context) => ownPage(context, await renewKey(context))),
  ),
  ...invitation,
]
