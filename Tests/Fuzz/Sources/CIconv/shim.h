// The converter of the C library, which speaks the UTF-7 of IMAP too.
#include <iconv.h>
