/** A name that tries to inject HTML and to reverse the text direction. */
export const hostile = `</title><script>alert(1)</script>"'><img src=x onerror=alert(1)>\u202eevil`;
