/* Comfort on the pages of the desk: each of them works without this file. It follows portal.js. */
/* global Suggestions */
{
  const words = document.currentScript.dataset
  const form = document.querySelector('form[data-autosave]')
  const status = form?.querySelector('.savebar [role=status]')
  const tokenField = form?.querySelector('[name=_csrf]')
  const parsed = async (answer) => new DOMParser().parseFromString(await answer.text(), 'text/html')
  const isSignIn = (answer) => /\/sign-in(?:$|\?)/.test(answer.url)
  const controlsIn = (element) => [...element.querySelectorAll('[name]:not(button)')]

  /* A word before leaving with text that is not saved. */
  let isDirty = document.getElementById('unsaved') !== null
  let isSending = false
  addEventListener('beforeunload', (event) => {
    if (isDirty && !isSending) event.preventDefault()
  })
  addEventListener('pageshow', () => {
    isSending = false
  })

  /* What a screen reader says of saving, at most every 30 seconds unless something is wrong. */
  let spoken = 0
  let wasWrong = false
  const say = (text, isWrong = false) => {
    if (!status || (!isWrong && !wasWrong && Date.now() - spoken < 30_000)) return
    spoken = Date.now()
    wasWrong = isWrong
    status.textContent = text
    status.classList.toggle('bad', isWrong)
  }

  const mostCharacters = 2 * 2 ** 20
  const isTooLarge = (data) =>
    data.toString().length > 4 * mostCharacters || [...data].flat().join('').length > mostCharacters

  /* Saving 2 seconds after the last change and on leaving a field, with the request of the button. */
  let timer
  let saving
  let last = ''
  let changes = 0
  const originals = new WeakMap()
  const dataOf = () => new URLSearchParams(new FormData(form))
  const later = (ms) => {
    clearTimeout(timer)
    timer = setTimeout(() => void save(), ms)
  }
  /* A field of which something is being typed that becomes a chip is saved when it is left. */
  const toSend = (chosen) => {
    const data = dataOf()
    const { activeElement: active } = document
    if (!chosen && active?.matches('[data-chips]')) {
      if (active.name.includes('.+')) data.set(active.name, '')
      else data.delete(active.name)
    }
    data.delete('_csrf')
    data.delete('revision')
    return data
  }
  const save = (chosen) => {
    const before = saving ?? Promise.resolve()
    const own = before
      .then(() => send(chosen))
      .finally(() => {
        if (saving === own) saving = undefined
      })
    saving = own
    return own
  }
  const takeToken = (page) => {
    const token = page.querySelector('form[data-autosave] [name=_csrf]')?.value
    if (!token) return
    tokenField.value = token
    words.token = token
  }
  /* Sent until there is an answer: what a request without one has made is not made twice. */
  let attempt = String(Math.random())
  const send = async (chosen, isAgain = false) => {
    clearTimeout(timer)
    const data = toSend(chosen)
    if (data.toString() === last) return
    if (isTooLarge(data)) {
      say(words.large, true)
      return
    }
    const before = changes
    const { value } = form.elements.revision
    const own = { _csrf: tokenField.value, revision: value, do: 'save', attempt }
    const body = new URLSearchParams([...data, ...Object.entries(own)])
    const request = { method: 'POST', body, headers: { Accept: 'text/html' } }
    const answer = await fetch(form.action, request).catch(() => undefined)
    const page = answer && (await parsed(answer))
    if (page && isSignIn(answer)) {
      say(words.signedOut, true)
      return
    }
    if (page && /[?&]restored=1/.test(answer.url) && !isAgain) {
      /* Signed in again in another window: its forms have another token. */
      takeToken(page)
      await send(chosen, true)
      return
    }
    if (page) renew(page)
    if (!answer?.ok) {
      say(page?.getElementById('unsaved')?.textContent ?? words.unsaved, true)
      later(30_000)
      return
    }
    attempt = String(Math.random())
    await released()
    const sent = follow(page, data)
    if (!isSending) adopt(page, sent, chosen)
    /* What was changed meanwhile is saved by the next request. */
    last = changes === before ? toSend().toString() : ''
    isDirty = toSend(true).toString() !== last
    const [now, { lang }] = [new Date(), document.documentElement]
    const time = now.toLocaleTimeString(lang, { timeStyle: 'short' })
    if (/[?&]saved=merged/.test(answer.url)) {
      spoken = 0
      say(page.querySelector('.savebar [role=status]')?.textContent ?? '')
    } else say(`${words.saved} ${time}`)
  }

  /* Nothing moves under a pressed pointer. */
  let isPressed = false
  const released = () =>
    isPressed
      ? new Promise((resolve) => {
          addEventListener('pointerup', () => setTimeout(resolve, 50), { once: true })
        })
      : undefined

  /* A new value gets a page and a name of its own by its first saving; what was sent is returned under the new names. */
  const valueIn = ({ action }) => decodeURIComponent(/\/files\/([^?]+)/.exec(action)?.[1] ?? '')
  const follow = (page, sent) => {
    const fresh = page.querySelector('form[data-autosave]')
    const [old, name] = [valueIn(form), fresh ? valueIn(fresh) : '']
    if (name === '' || name === old) return sent
    const moved = (text) => text.replace(`${old}.`, `${name}.`)
    form.action = fresh.action
    history.replaceState(undefined, '', fresh.action)
    for (const field of form.querySelectorAll('fieldset.f')) field.id = moved(field.id)
    for (const link of form.querySelectorAll('a[href]'))
      link.href = link.href.replace(encodeURIComponent(old), encodeURIComponent(name))
    for (const control of form.querySelectorAll('[name]')) {
      if (control.matches('button')) control.value = moved(control.value)
      else control.name = moved(control.name)
    }
    return new URLSearchParams([...sent].map(([key, text]) => [moved(key), text]))
  }

  /* Takes the fields of the page that was answered; those in use keep what is typed and get the new names. */
  const adopt = (page, sent, chosen) => {
    const fresh = page.querySelector('form[data-autosave]')
    if (!fresh) return
    let isContested = false
    const now = dataOf()
    const isSettled = ({ name }) => now.getAll(name).join('\n') === sent.getAll(name).join('\n')
    for (const field of form.querySelectorAll('fieldset.f')) {
      const next = page.getElementById(field.id)
      if (!next || next.innerHTML === originals.get(field)) continue
      const isInUse = field.contains(document.activeElement) || field.querySelector('.dragged')
      if (field === chosen || (!isInUse && controlsIn(field).every(isSettled))) replace(field, next)
      else isContested = rename(controlsIn(field), controlsIn(next), sent) || isContested
    }
    /* With the old revision, the next request finds out that others changed what is being typed. */
    for (const name of isContested ? [] : ['revision', 'from'])
      if (form.elements[name]) form.elements[name].value = fresh.elements[name]?.value ?? ''
    for (const part of ['.gain', '.sections ol', '.form-title', '.as-hit']) {
      const [own, theirs] = [document.querySelector(part), page.querySelector(part)]
      if (own && theirs && !own.contains(document.activeElement)) own.replaceWith(theirs)
    }
  }
  const replace = (field, next) => {
    const isFocused = field.contains(document.activeElement)
    for (const [index, details] of field.querySelectorAll('details').entries()) {
      const counterpart = next.querySelectorAll('details')[index]
      if (counterpart && details.open) counterpart.open = true
    }
    field.replaceWith(next)
    enhance(next)
    if (isFocused) (next.querySelector('[data-chips]') ?? next.querySelector('button, a'))?.focus()
  }
  /* Names are FIELD.ROW.FIELD.ROW; controls are paired by their fields, several of one field by what was sent. */
  const isLine = (control) => control.matches('textarea, input:not([type=radio], [type=checkbox])')
  const rowOf = (name) => name.split('.').slice(0, 2).join('.')
  const kindOf = ({ name, lang }) => `${name.replaceAll(/\.[^.]*(\.|$)/g, '$1')} ${lang}`
  const rename = (own, theirs, sent) => {
    let isContested = false
    const names = new Map()
    const rows = new Map()
    const taken = new Set()
    const alike = (list, control) => list.filter((other) => kindOf(other) === kindOf(control))
    for (const control of own) {
      if (names.has(control.name)) continue
      const others = alike(theirs, control).filter((other) => !taken.has(other))
      const isOnly = others.length === 1 && alike(own, control).length === 1
      const text = (sent.get(control.name) ?? '').replaceAll('\r\n', '\n')
      const other = isOnly ? others[0] : others.find(({ value }) => value === text)
      if (!other) continue
      /* Others changed a text that was sent as it had been shown: it is taken over, unless one goes on typing. */
      const isOthers = isLine(control) && text === control.defaultValue && other.value !== text
      isContested ||= isOthers && control.value !== text
      if (isOthers && control.value !== text) continue
      if (isOthers) control.value = other.value
      if (isLine(control)) control.defaultValue = other.defaultValue
      taken.add(other)
      names.set(control.name, other.name)
      rows.set(rowOf(control.name), rowOf(other.name))
    }
    for (const control of own) {
      const row = rowOf(control.name)
      const inRow = (rows.get(row) ?? row) + control.name.slice(row.length)
      control.name = names.get(control.name) ?? inRow
    }
    return isContested
  }

  /* Combobox: the list of the page on which concepts are chosen. */
  class ConceptBox extends Suggestions {
    static on = (input) => {
      const link = input.closest('.add-row')?.querySelector('a[href*="/pick/"]')
      return link && new ConceptBox(input, link.href)
    }
    constructor(input, address) {
      super(input)
      this.address = address
      this.count = document.createElement('span')
      this.count.className = 'vh'
      this.count.setAttribute('role', 'status')
      this.list.after(this.count)
      input.removeAttribute('list')
      input.autocomplete = 'off'
    }
    async ask() {
      this.request?.abort()
      const typed = this.input.value.trim()
      if (typed === '') return this.show(false)
      this.request = new AbortController()
      const { signal } = this.request
      const address = `${this.address}&q=${encodeURIComponent(typed)}`
      const answer = await fetch(address, { signal }).catch(() => undefined)
      const page = answer?.ok && !signal.aborted && (await parsed(answer))
      if (!page || signal.aborted || document.activeElement !== this.input) return undefined
      const items = [...page.querySelectorAll('.found li')].slice(0, 12)
      this.list.replaceChildren(...items.map((item) => this.option(item)))
      this.count.textContent = items.length > 0 ? `${items.length} ${words.found}` : words.none
      return this.show(items.length > 0)
    }
    option(item) {
      const [one, label] = [document.createElement('a'), item.querySelector('strong').textContent]
      one.setAttribute('role', 'option')
      const more = [...item.querySelectorAll('.n, .path')].map((part) => {
        const span = document.createElement('span')
        span.textContent = part.textContent
        return span
      })
      one.append(`${label} `, ...more)
      one.addEventListener('click', () => {
        this.input.value = label
        isDirty = true
        this.show(false)
        void save(this.input.closest('fieldset.f'))
      })
      return one
    }
  }

  /* Mercator projection of a map, and back. */
  const projectionOf = (map) => {
    const [scale, left, top, middle] = map.dataset.scale.split(' ').map(Number)
    const degree = (scale * Math.PI) / 180
    return {
      digits: Math.max(1, Math.ceil(Math.log10(degree))),
      place: (longitude, latitude) => [
        left + (longitude - middle) * degree,
        top - scale * Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360)),
      ],
      degreesAt: ({ x, y }) => [
        (x - left) / degree + middle,
        (Math.atan(Math.exp((top - y) / scale)) * 360) / Math.PI - 90,
      ],
    }
  }

  const svg = (name, attributes) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name)
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
    return element
  }

  /* Two corners of an area can be dragged; the four numbers follow, and lead them. */
  const draggable = (map) => {
    const inputs = [...map.parentElement.querySelectorAll('.bbox-inputs input')]
    const { digits, place, degreesAt } = projectionOf(map)
    const numbers = () => inputs.map(({ value }) => Number(value.replace(',', '.')))
    const handles = [0, 1].map(() => {
      const handle = svg('g', { class: 'handle' })
      handle.append(svg('circle', { r: 25, class: 'room' }), svg('circle', { r: 7 }))
      return handle
    })
    const draw = () => {
      const [west, south, east, north] = numbers()
      if (![west, south, east, north].every(Number.isFinite)) return
      const corners = [place(west, south), place(east, north)]
      const [[x1, y1], [x2, y2]] = corners
      map.querySelector('.extent path')?.setAttribute('d', `M${x1} ${y1}H${x2}V${y2}H${x1}z`)
      for (const [index, [x, y]] of corners.entries())
        handles[index].setAttribute('transform', `translate(${x} ${y})`)
    }
    const drag = (corner, event) => {
      const pointer = new DOMPoint(event.clientX, event.clientY)
      const at = degreesAt(pointer.matrixTransform(map.getScreenCTM().inverse()))
      const other = numbers().slice(2 - 2 * corner, 4 - 2 * corner)
      const keep = corner === 0 ? Math.min : Math.max
      for (const [index, degrees] of at.entries())
        inputs[2 * corner + index].value = String(
          Number(keep(degrees, other[index]).toFixed(digits)),
        )
      draw()
    }
    for (const [corner, handle] of handles.entries()) {
      const isDragged = () => handle.classList.contains('dragged')
      handle.addEventListener('pointerdown', (event) => {
        handle.setPointerCapture(event.pointerId)
        handle.classList.add('dragged')
        event.preventDefault()
      })
      handle.addEventListener('pointermove', (event) => isDragged() && drag(corner, event))
      for (const name of ['pointerup', 'pointercancel'])
        handle.addEventListener(name, () => {
          if (isDragged()) inputs[0].dispatchEvent(new Event('input', { bubbles: true }))
          handle.classList.remove('dragged')
        })
    }
    map.append(...handles)
    for (const input of inputs) input.addEventListener('input', draw)
    draw()
  }

  const grow = (area) => {
    area.style.blockSize = 'auto'
    area.style.blockSize = `${area.scrollHeight + 2}px`
  }

  const enhance = (element) => {
    for (const field of element.matches('fieldset.f')
      ? [element]
      : element.querySelectorAll('fieldset.f'))
      originals.set(field, field.innerHTML)
    for (const area of element.querySelectorAll('textarea:not(.code)')) {
      area.addEventListener('input', () => grow(area))
      if (area.offsetParent) grow(area)
    }
    for (const input of element.querySelectorAll('[data-chips]')) ConceptBox.on(input)
    for (const map of element.querySelectorAll('[data-scale]')) draggable(map)
  }

  /* A word 5 minutes before the session ends. Each request begins its pause anew. */
  let ends = Date.now() + words.left * 1000
  let pauseEnds = 0
  let warning
  let alarm
  const renew = (page) => {
    const left = page?.querySelector('script[data-left]')?.dataset.left
    if (left) ends = Date.now() + left * 1000
    pauseEnds = Date.now() + words.idle * 1000
    alarm?.remove()
    alarm = undefined
    clearTimeout(warning)
    warning = setTimeout(warn, Math.max(0, Math.min(ends, pauseEnds) - Date.now() - 300_000))
  }
  const warn = () => {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'button small'
    button.textContent = words.stay
    button.addEventListener('click', () => void stay())
    alarm = document.createElement('p')
    alarm.className = 'session'
    alarm.setAttribute('role', 'alert')
    alarm.append(`${words.ends} `, button)
    const bar = document.querySelector('.savebar')
    if (bar) bar.prepend(alarm)
    else document.querySelector('main').prepend(alarm)
  }
  const stay = async () => {
    const body = new URLSearchParams({ _csrf: words.token })
    const answer = await fetch(words.way, { method: 'POST', body }).catch(() => undefined)
    if (answer?.ok && !isSignIn(answer)) renew(await parsed(answer))
    else if (alarm) alarm.firstChild.data = `${words.signedOut} `
  }

  for (const one of document.querySelectorAll('main form[method=post]')) {
    one.addEventListener('input', () => {
      isDirty = true
    })
    one.addEventListener('submit', (event) => {
      const data = new URLSearchParams(new FormData(one))
      if (one === form && isTooLarge(data)) {
        event.preventDefault()
        say(words.large, true)
        return
      }
      isSending = true
      if (one !== form || !saving) return
      event.preventDefault()
      void saving.then(() => one.requestSubmit(event.submitter))
    })
    enhance(one)
  }
  if (words.idle > 0) renew()
  if (form) {
    last = isDirty ? '' : toSend(true).toString()
    form.addEventListener('input', () => {
      changes += 1
      later(2000)
    })
    form.addEventListener('focusout', ({ target, relatedTarget }) => {
      const field = target.closest('fieldset.f')
      if (isDirty && !field?.contains(relatedTarget)) later(150)
    })
    for (const name of ['pointerdown', 'pointerup', 'pointercancel'])
      addEventListener(name, () => {
        isPressed = name === 'pointerdown'
      })
    /* Back from another window, where one may have signed in. */
    addEventListener('focus', () => {
      if (isDirty && wasWrong) later(150)
    })
  }
}
