const NAME = 'appSessionId';

/**
 * The session cookie where nobody else keeps it. Browsers do: there, scripts see no `Set-Cookie`, and a `Cookie` header of
 * theirs is not sent, so this holds nothing and changes nothing.
 */
export class SessionCookie {
  private value = '';

  /** The `Cookie` header to send; null when there is none. */
  get header(): string | null {
    return this.value ? `${NAME}=${this.value}` : null;
  }

  /** Takes over what an answer sets or clears. */
  take(headers: Headers): void {
    for (const cookie of headers.getSetCookie()) {
      const [pair = '', ...attributes] = cookie.split(';');
      const [name, value = ''] = pair.trim().split('=');
      if (name !== NAME) continue;
      const isOver = attributes.some((attribute) =>
        /^\s*max-age=0$|^\s*expires=thu, 01 jan 1970/i.test(attribute),
      );
      this.value = isOver ? '' : value;
    }
  }
}
