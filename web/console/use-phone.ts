import { useLayoutEffect, useState } from "preact/hooks";

/** As in the styles. */
const PHONE = matchMedia("(max-width: 40rem)");

/** Whether the window is as narrow as a phone's, which some parts of the console need another form for. */
export function usePhone(): boolean {
  const [isPhone, setPhone] = useState(PHONE.matches);
  useLayoutEffect(() => {
    const change = () => setPhone(PHONE.matches);
    PHONE.addEventListener("change", change);
    return () => PHONE.removeEventListener("change", change);
  }, []);
  return isPhone;
}
